/** The binary frames of a WebSocket as a stream of bytes in both directions. */
import type { WebSocket } from 'ws';

/** More than this waiting to be read, and the sender has to wait; bytes. */
const HIGH_WATER = 1024 * 1024;
/** What a frame takes beside its bytes: many small ones would fill the memory otherwise. */
const FRAME_OVERHEAD = 256;

/** The connection broke, or the other side said something that is not of the protocol. */
export class SessionChannelError extends Error {
  override readonly name = 'SessionChannelError';
}

/** A socket whose binary frames are bytes of an engine. */
export interface ByteSocket {
  /** Ends after `finish`; throws when the connection breaks. Read it once. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Sends one frame. Resolves when more can be taken. */
  write(data: Uint8Array | string): Promise<void>;
  /** Says that no more bytes come in; more of them break the connection off. */
  finish(): void;
  /** Ends the connection at once. */
  fail(error: Error): void;
  /** Rejects when the connection breaks or is closed; never resolves. */
  readonly broken: Promise<never>;
  /** Bytes of binary frames so far; empty frames are passed over. */
  readonly carried: { sent: number; received: number };
}

/**
 * Reads from the socket only as fast as the bytes are taken.
 * @param onText is told each text frame; what it throws ends the connection
 */
export function createByteSocket(socket: WebSocket, onText: (text: string) => void): ByteSocket {
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
  // Those who wait for nothing else are told by what they wait for.
  broken.catch(() => {});
  const carried = { sent: 0, received: 0 };
  // Read from `next`; what is before it was taken. Shifting would move all the others.
  let waiting: Uint8Array[] = [];
  let next = 0;
  let waitingBytes = 0;
  let isEnded = false;
  let failure: Error | undefined;
  let wake: () => void = () => {};

  const fail = (error: Error) => {
    // A socket may say that it is closed while it is being ended.
    if (failure !== undefined) return;
    failure = error;
    breakOff(failure);
    wake();
    socket.terminate();
  };
  const receive = (bytes: Uint8Array) => {
    if (isEnded) return fail(new SessionChannelError('The other side sent bytes after their end.'));
    if (bytes.length === 0) return;
    carried.received += bytes.length;
    waiting.push(bytes);
    waitingBytes += bytes.length + FRAME_OVERHEAD;
    if (waitingBytes > HIGH_WATER) socket.pause();
    wake();
  };
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    // What comes in after the end of the connection is not read.
    if (failure !== undefined) return;
    try {
      if (isBinary) receive(data);
      else onText(data.toString('utf8'));
    } catch (error) {
      fail(error as Error);
    }
  });
  socket.on('error', (cause) => fail(new SessionChannelError('The connection of the session broke.', { cause })));
  socket.on('close', () => fail(new SessionChannelError('The connection of the session was closed.')));

  const take = () => {
    const bytes = waiting[next];
    next += 1;
    if (next < waiting.length) return bytes;
    waiting = [];
    next = 0;
    return bytes;
  };

  async function* incoming() {
    for (;;) {
      const bytes = take();
      if (bytes !== undefined) {
        waitingBytes -= bytes.length + FRAME_OVERHEAD;
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
  return {
    incoming: incoming(),
    write(data) {
      if (typeof data !== 'string') carried.sent += data.length;
      return new Promise<void>((resolve, reject) => {
        socket.send(data, (error) => {
          if (error === undefined || error === null) resolve();
          else reject(new SessionChannelError('The connection of the session broke.', { cause: error }));
        });
      });
    },
    finish() {
      isEnded = true;
      wake();
    },
    fail,
    broken,
    carried,
  };
}
