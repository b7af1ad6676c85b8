/** Lets go of clients that send requests and do not read the answers. Node keeps what they do not read for as long as they like. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LONGEST_TIMER_MS } from '../../core/long-timer.ts';
import { servePipelinedInTurn } from './pipelining.ts';

/** The bounds of `guardConnections`. */
export interface ConnectionGuardOptions {
  /**
   * How long a client may read nothing of its answer, in milliseconds. One that reads slowly may also take the time that the
   * answer takes at one Mbit/s.
   * @default 30,000
   */
  readonly unreadMs?: number;
  /**
   * Requests of one connection that wait for their answers, the one that is served included. They are served one after the
   * other; a connection that sends more ahead is ended.
   * @default 16
   */
  readonly maxPipelined?: number;
  /**
   * Open connections.
   * @default 10,000
   */
  readonly maxConnections?: number;
}

/** One Mbit/s: a slow line has the time that it takes. */
const BYTES_PER_MS = 125;
const CHECKS_PER_LIMIT = 6;

/** How long a connection may be open without a request: Node's own limit begins again with each byte, even of empty lines. */
const IDLE_MS = 60_000;
/** What a connection that is kept alive has beyond the server's own limit. */
const IDLE_MARGIN_MS = 15_000;

interface Unread {
  /** When the last request began or ended, and how many are under way. */
  activeAt: number;
  underWay: number;
  /** Since when, and how much, of what was written whole. */
  since: number;
  length: number;
  /** The same of the single bytes. */
  stalledSince: number;
  queued: number;
}

/**
 * Bytes that the kernel has not taken yet. Node counts a chunk as written once all of it is, and an answer is one chunk. Its
 * own socket timeout tells progress by this number too. 0 if the socket has none.
 */
function queuedBytes(socket: Socket): number {
  return (
    (socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } | null })._handle?.writeQueueSize ?? 0
  );
}

/**
 * Connections that wait to be accepted, for `listen`. Node's 511 are too few in a burst of connections. The system drops the
 * attempts beyond, and clients repeat theirs after 1, 3, 7 seconds and more.
 */
export const LISTEN_BACKLOG = 4_096;

/**
 * Guards a server whose request listener is in place. Ends a connection that has left an answer unread for too long, or that
 * has more requests waiting than it may. Serves pipelined requests one after the other. The hosts do this; call it for the
 * server of an embedded instance, before it listens.
 * @example
 * ```ts
 * import { createCredence, guardConnections } from 'credence';
 * import { credenceFastify } from 'credence/fastify';
 * import { fastify } from 'fastify';
 *
 * const credence = createCredence();
 * const app = fastify();
 * await app.register(credenceFastify(credence));
 * guardConnections(app.server, { unreadMs: 10_000 });
 * ```
 */
export function guardConnections(server: Server, options: ConnectionGuardOptions = {}): void {
  const { unreadMs = 30_000, maxPipelined = 16, maxConnections = 10_000 } = options;
  const sockets = new Map<Socket, Unread>();
  server.maxConnections = maxConnections;

  server.on('connection', (socket: Socket) => {
    const now = performance.now();
    sockets.set(socket, { activeAt: now, underWay: 0, since: now, length: 0, stalledSince: now, queued: 0 });
    socket.once('close', () => sockets.delete(socket));
  });

  function isIdle(socket: Socket & { readonly parser?: object | null }, { activeAt, underWay }: Unread, now: number) {
    // A WebSocket has no parser of HTTP any more.
    if (underWay > 0 || !socket.parser || server.keepAliveTimeout === 0) return false;
    return now - activeAt > Math.max(IDLE_MS, server.keepAliveTimeout + IDLE_MARGIN_MS);
  }

  function noteRequest({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = sockets.get(socket);
    if (connection === undefined) return;
    connection.underWay += 1;
    connection.activeAt = performance.now();
    response.once('close', () => {
      connection.underWay -= 1;
      connection.activeAt = performance.now();
    });
  }

  function check(): void {
    const now = performance.now();
    for (const [socket, unread] of sockets) {
      const length = socket.writableLength;
      const queued = queuedBytes(socket);
      // A client that took an answer since has the whole time again; one that took a part of it continues.
      if (length === 0 || length < unread.length) unread.since = now;
      if (length === 0 || length < unread.length || queued < unread.queued) unread.stalledSince = now;
      unread.length = length;
      unread.queued = queued;
      const isTooSlow = now - unread.since > unreadMs + length / BYTES_PER_MS;
      if (isTooSlow || now - unread.stalledSince > unreadMs || isIdle(socket, unread, now)) socket.destroy();
    }
  }
  const timer = setInterval(check, Math.min(Math.max(1, unreadMs / CHECKS_PER_LIMIT), LONGEST_TIMER_MS)).unref();
  server.once('close', () => clearInterval(timer));

  servePipelinedInTurn(server, maxPipelined);
  // The second event of one request, after an expectation, does no harm.
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    if (server.listenerCount(event) > 0) server.prependListener(event, noteRequest);
  }
}
