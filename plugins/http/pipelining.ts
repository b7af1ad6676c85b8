/**
 * Serves the pipelined requests of a connection one after the other. Node starts all of them at once: a client that sends
 * hundreds and reads nothing gets hundreds of answers made.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;

/** Node's parser of a connection; its callback for a message whose headers are complete. */
interface Parser {
  onIncoming?: (request: IncomingMessage, shouldKeepAlive: boolean) => number;
}

/** What the parser takes for "not HTTP any more": it drops the rest of what it has read. */
const STOP_PARSING = 2;

/**
 * Call it when the server's listeners are in place. A request is started when the answer before it is sent, and all that
 * came with it is counted. A connection with more than `maxPipelined` requests waiting is ended. If they came at once, none
 * of them is started.
 */
export function servePipelinedInTurn(server: Server, maxPipelined: number): void {
  /** By connection: the request that is served, and those behind it. */
  const lines = new WeakMap<Socket, (() => void)[]>();
  /** A listener of an expectation may hand its request on to those of `request`. */
  const started = new WeakSet<IncomingMessage>();

  server.on('connection', (socket: Socket) => stopParsingOnceDestroyed(socket));

  for (const event of EVENTS) {
    const listeners = server.listeners(event) as ((...args: unknown[]) => void)[];
    if (listeners.length === 0) continue;
    server.removeAllListeners(event);
    server.on(event, (request: IncomingMessage, response: ServerResponse) => {
      const serve = () => {
        for (const listener of listeners) listener.call(server, request, response);
      };
      if (started.has(request)) return serve();
      const { socket } = request;
      const line = lines.get(socket) ?? [];
      lines.set(socket, line);
      if (line.length >= maxPipelined || socket.destroyed) return void socket.destroy();
      const start = () => {
        if (socket.destroyed) return;
        started.add(request);
        serve();
      };
      line.push(start);
      response.once('close', () => {
        line.shift();
        line[0]?.();
      });
      if (line.length === 1) process.nextTick(start);
    });
  }
}

/** The parser continues with what it has read, a request at a time, also when the connection was ended meanwhile. */
function stopParsingOnceDestroyed(socket: Socket & { readonly parser?: Parser | null }): void {
  const { parser } = socket;
  const onIncoming = parser?.onIncoming;
  if (!parser || onIncoming === undefined) return;
  parser.onIncoming = (request, shouldKeepAlive) =>
    socket.destroyed ? STOP_PARSING : onIncoming(request, shouldKeepAlive);
}
