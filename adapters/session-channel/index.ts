/** A WebSocket as the two channels of a blind session: bytes of the engines in binary frames, messages in text frames. */
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import type { ByteChannel } from '../../core/ports/mpc-tls.ts';

export { MAX_FRAME_BYTES, type NotaryMessage, notaryMessage, type ProverMessage, proverMessage } from './messages.ts';

/** More than this waiting to be read, and the sender has to wait; bytes. */
const HIGH_WATER = 1024 * 1024;

/** The connection broke, or the other side said something that is not of the protocol. */
export class SessionChannelError extends Error {
  override readonly name = 'SessionChannelError';
}

/** What `createSessionChannel` takes. */
export interface SessionChannelOptions<M> {
  /** Of either side, open. */
  readonly socket: WebSocket;
  /** What the other side may say. */
  readonly messages: z.ZodType<M>;
  /** Is told every message but `end`. What it throws closes the channel. */
  readonly onMessage: (message: M) => void;
}

/** The channel of a session over a socket that is open. */
export interface SessionChannel<S> extends ByteChannel {
  /** Sends a message. */
  say(message: S): Promise<void>;
  /** Rejects when the connection breaks or is closed; never resolves. */
  readonly broken: Promise<never>;
  /** Bytes of the engines so far. */
  readonly carried: { readonly sent: number; readonly received: number };
  /** Closes the connection. Harmless when repeated. */
  close(): void;
}

/** Both sides end their bytes with the same message. */
interface Ending {
  readonly type: string;
}

/** Reads from the socket only as fast as the bytes are taken. */
export function createSessionChannel<S extends Ending, M extends Ending>(
  options: SessionChannelOptions<M>,
): SessionChannel<S> {
  const { socket, messages, onMessage } = options;
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
  // Those who wait for nothing else are told by what they wait for.
  broken.catch(() => {});
  const carried = { sent: 0, received: 0 };
  const waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isEnded = false;
  let failure: Error | undefined;
  let wake: () => void = () => {};

  const fail = (error: Error) => {
    failure ??= error;
    breakOff(failure);
    wake();
    socket.terminate();
  };
  const receive = (bytes: Uint8Array) => {
    if (isEnded) return fail(new SessionChannelError('The other side sent bytes after their end.'));
    carried.received += bytes.length;
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes > HIGH_WATER) socket.pause();
    wake();
  };
  const hear = (text: string) => {
    const parsed = messages.safeParse(parseJson(text));
    if (!parsed.success)
      return fail(new SessionChannelError('The other side sent a message that is not of the protocol.'));
    if (parsed.data.type !== 'end') return onMessage(parsed.data);
    isEnded = true;
    wake();
  };
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    try {
      if (isBinary) receive(data);
      else hear(data.toString('utf8'));
    } catch (error) {
      fail(error instanceof Error ? error : new SessionChannelError('The message could not be handled.'));
    }
  });
  socket.on('error', (cause) => fail(new SessionChannelError('The connection of the session broke.', { cause })));
  socket.on('close', () => fail(new SessionChannelError('The connection of the session was closed.')));

  async function* incoming() {
    for (;;) {
      const bytes = waiting.shift();
      if (bytes !== undefined) {
        waitingBytes -= bytes.length;
        if (waitingBytes <= HIGH_WATER && socket.isPaused) socket.resume();
        yield bytes;
        continue;
      }
      if (isEnded) return;
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const write = (data: Uint8Array | string) =>
    new Promise<void>((resolve, reject) => {
      socket.send(data, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(new SessionChannelError('The connection of the session broke.', { cause: error }));
      });
    });
  return {
    incoming: incoming(),
    async send(bytes) {
      carried.sent += bytes.length;
      await write(bytes);
    },
    end: () => write(JSON.stringify({ type: 'end' })),
    say: (message) => write(JSON.stringify(message)),
    broken,
    carried,
    close: () => socket.close(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
