/** Bounds what clients can hold of a host's server if they send slowly, send nothing, send too much or do not read. */
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const SERVER_LIMITS = {
  /** A client that sends its request too slowly is disconnected within a minute, by the first check after this time. */
  headersTimeout: 50_000,
  requestTimeout: 50_000,
  keepAliveTimeout: 45_000,
  maxConnections: 10_000,
} as const satisfies Partial<Server>;

/**
 * Connections that wait to be accepted, for `listen`. Node's 511 are too few in a burst of connections. The system drops the
 * attempts beyond, and clients repeat theirs after 1, 3, 7 seconds and more.
 */
export const LISTEN_BACKLOG = 4_096;

/** Requests of one connection that may wait for their answers. */
const MOST_WAITING = 16;

/** Sets the limits of a server whose request listener is in place. */
export function limitServer<S extends Server>(server: S): S {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  for (const listener of listeners) server.on('request', inOrder(listener));
  return Object.assign(server, SERVER_LIMITS);
}

/**
 * Starts a pipelined request when the answer before it is sent, and ends a connection with too many of them. Node.js starts all
 * at once: a client that sends hundreds and reads nothing would get hundreds of answers made.
 */
function inOrder(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, ServerResponse[]>();
  return (request, response) => {
    const { socket } = request;
    // The parser hands over what it has read already, also of a connection that was ended meanwhile.
    if (socket.destroyed) return;
    const others = (waiting.get(socket) ?? []).filter(({ writableFinished }) => !writableFinished);
    waiting.set(socket, [...others, response]);
    if (others.length >= MOST_WAITING) return void socket.destroy();
    const start = () => {
      if (!socket.destroyed) listener(request, response);
    };
    const last = others.at(-1);
    if (last === undefined) start();
    else last.once('close', start);
  };
}
