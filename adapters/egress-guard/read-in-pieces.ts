import type { Socket } from 'node:net';

/** Of the shortest headers, 800 fields and values. */
const MOST_BYTES = 2 * 1024;

/**
 * Makes the socket hand out little at a time, and nothing once it is destroyed. After the limit of headers, undici makes an
 * error for each field in what it was handed. For 64 KiB of short headers that would hold the event loop for 0.4 s.
 */
export function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    if (socket.destroyed) return null;
    return size === undefined && socket.readableLength > MOST_BYTES ? read(MOST_BYTES) : read(size);
  };
}
