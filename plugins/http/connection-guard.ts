/**
 * Lets go of clients that send requests and do not read the answers. Node keeps what they do not read for as long as they
 * like, and answers as many pipelined requests at once as fit into a read.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionGuardOptions {
  /** How long a client may leave an answer unread before its size counts; 30,000 by default. */
  readonly unreadMs?: number;
  /** Requests of one connection that wait for their answers; 32 by default. */
  readonly maxPipelined?: number;
  /** Open connections; 10,000 by default. */
  readonly maxConnections?: number;
}

/** One Mbit/s: a slow line has the time that it takes. */
const BYTES_PER_MS = 125;
const CHECKS_PER_LIMIT = 6;

interface Unread {
  since: number;
  length: number;
}

/**
 * Guards a server whose request listener is in place: ends a connection that has left an answer unread for too long, or that
 * has more requests waiting than it may. The standalone host does this; call it for the server of an embedded instance.
 */
export function guardConnections(server: Server, options: ConnectionGuardOptions = {}): void {
  const { unreadMs = 30_000, maxPipelined = 32, maxConnections = 10_000 } = options;
  const sockets = new Map<Socket, Unread>();
  const waiting = new WeakMap<Socket, number>();
  server.maxConnections = maxConnections;

  server.on('connection', (socket: Socket) => {
    sockets.set(socket, { since: performance.now(), length: 0 });
    socket.once('close', () => sockets.delete(socket));
  });

  function check(): void {
    const now = performance.now();
    for (const [socket, unread] of sockets) {
      const length = socket.writableLength;
      // Whoever has read something since has the whole time anew.
      if (length === 0 || length < unread.length) unread.since = now;
      unread.length = length;
      if (now - unread.since > unreadMs + length / BYTES_PER_MS) socket.destroy();
    }
  }
  const timer = setInterval(check, Math.max(1, unreadMs / CHECKS_PER_LIMIT)).unref();
  server.once('close', () => clearInterval(timer));

  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    const listeners = server.listeners(event) as ((...args: unknown[]) => void)[];
    if (listeners.length === 0) continue;
    server.removeAllListeners(event);
    server.on(event, (request, response) => {
      const { socket } = request;
      const count = (waiting.get(socket) ?? 0) + 1;
      waiting.set(socket, count);
      // The parser goes on with what it has read already: those requests are not looked at.
      if (count > maxPipelined || socket.destroyed) return void socket.destroy();
      response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
      for (const listener of listeners) listener.call(server, request, response);
    });
  }
}
