/** The binary frames of a WebSocket as a stream of bytes in both directions. */
import { Readable } from 'node:stream';
import type { WebSocket } from 'ws';

/**
 * More than this waiting to be read, and the sender has to wait; bytes. A frame takes some hundred bytes beside its own, so it is
 * little: many small ones would fill the memory otherwise.
 */
const HIGH_WATER = 4 * 1024;

/** The connection broke, or the other side said something that is not of the protocol. */
export class SessionChannelError extends Error {
  override readonly name = 'SessionChannelError';
}

/** What is known of the connection that carries a session's bytes. */
export interface Carrier {
  /** Rejects when the connection breaks or is closed; never resolves. */
  readonly broken: Promise<never>;
  /** Bytes of the engines so far. */
  readonly carried: { readonly sent: number; readonly received: number };
}

/** A socket whose binary frames are bytes of an engine. */
export interface ByteSocket extends Carrier {
  /** Ends after `finish`; throws when the connection breaks. Read it once. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Sends one frame. Resolves when more can be taken. */
  write(data: Uint8Array | string): Promise<void>;
  /** Says that no more bytes come in; more of them break the connection off. */
  finish(): void;
  /** Ends the connection at once. */
  fail(error: Error): void;
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
  const incoming = new Readable({ highWaterMark: HIGH_WATER, read: () => socket.resume() });
  // Those who read are told by what they read.
  incoming.on('error', () => {});
  let isEnded = false;
  let hasFailed = false;

  const fail = (error: Error) => {
    // A socket may say that it is closed while it is being ended.
    if (hasFailed) return;
    hasFailed = true;
    breakOff(error);
    // Bytes that have come in up to their end are still read.
    if (!isEnded) incoming.destroy(error);
    socket.terminate();
  };
  const receive = (bytes: Uint8Array) => {
    if (isEnded) throw new SessionChannelError('The other side sent bytes after their end.');
    carried.received += bytes.length;
    if (!incoming.push(bytes)) socket.pause();
  };
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    // What comes in after the end of the connection is not read.
    if (hasFailed) return;
    try {
      if (isBinary) receive(data);
      else onText(data.toString('utf8'));
    } catch (error) {
      fail(error as Error);
    }
  });
  socket.on('error', (cause) => fail(new SessionChannelError('The connection of the session broke.', { cause })));
  socket.on('close', () => fail(new SessionChannelError('The connection of the session was closed.')));

  return {
    incoming,
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
      incoming.push(null);
      // Messages may still come, and what is read from here on asks for no more.
      socket.resume();
    },
    fail,
    broken,
    carried,
  };
}
