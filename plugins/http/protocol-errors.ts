/** Answers in the documented form what Node's HTTP server would answer on its own: requests that reach no route. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { DomainError } from '../../core/errors.ts';
import { holdBodyBack } from './body.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { HttpResponse } from './message.ts';
import { dialectOfPath, pathOfTarget } from './not-found.ts';

/** An `import` of node:http would load its client of the web too, which takes a twelfth of a start. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** For `createServer`. */
export const SERVER_OPTIONS = {
  /** Leaves a missing `Host` to Credence, which answers it in the documented form. */
  requireHostHeader: false,
  /** Node looks for late requests only so often. Its 30 seconds would come on top of the time that a request has. */
  connectionsCheckingInterval: 5_000,
} as const;

/**
 * Returns a listener for `clientError` that answers what the HTTP parser refuses: 400, 408, 413 and 431. If the answer to an
 * earlier request is still to come, it comes, and the connection ends.
 */
export function clientErrorListener(dispatcher: Dispatcher): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket: HandedOver) => {
    // A connection that was reset or closed receives nothing.
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const answer = socket._httpMessage;
    if (answer && (answer.headersSent || answer.req.complete)) {
      // Nothing more is read of it, or it would be refused again and again.
      socket.pause();
      return void answer.once('close', () => endWith(socket, ''));
    }
    const refusal = dispatcher.refuse(refusalOf(error), { method: 'UNKNOWN', headers: {} });
    socket.end(serialize(refusal), () => socket.destroy());
  };
}

/**
 * Makes a server send `100 Continue` only when a route begins to read the body. A body over the limit, or of a caller without
 * a token, is then refused before the client sends it (RFC 9110, section 10.1.1). Other expectations get a 417.
 */
export function answerExpectations(server: Server, dispatcher: Dispatcher): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    holdBodyBack(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const expectation = new DomainError(
      'EXPECTATION_FAILED',
      'The only expectation that is supported is 100-continue.',
    );
    const { method = '', url = '' } = request;
    const dialect = dialectOfPath(pathOfTarget(url));
    const { status, headers, body } = dispatcher.refuse(expectation, { method, headers: {} }, dialect);
    response.shouldKeepAlive = false;
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  });
}

/** How long a client may take to close its side of a connection that is refused, in milliseconds. */
const GOODBYE_MS = 1_000;

/** What Node's server hands over at a `CONNECT`, an upgrade or an error, with the answer that is under way. */
export type HandedOver = Duplex & { readonly _httpMessage?: ServerResponse | null };

/**
 * Whether an answer can be written to a connection that Node's server has handed over. The answer to an earlier request may
 * still be to come: one that overtakes it would be taken for it.
 */
export function canAnswer(socket: HandedOver): boolean {
  return socket.writable && !socket._httpMessage;
}

/** Writes the last answer of a connection that Node's server has handed over, and ends it. The caller listens to its errors. */
export function endWith(socket: Duplex, answer: string): void {
  const late = setTimeout(() => socket.destroy(), GOODBYE_MS);
  socket.once('close', () => clearTimeout(late));
  // What is left unread would reset the connection, and the answer with it. Nor would its end be noticed.
  socket.resume();
  socket.end(answer);
}

/**
 * Makes a server answer `CONNECT`, for which Node closes the connection without a word. There are no tunnels.
 * @param refusalOf what is wrong with the request
 */
export function refuseTunnels(
  server: Server,
  dispatcher: Dispatcher,
  refusalOf: (request: IncomingMessage) => DomainError,
): void {
  server.on('connect', (request: IncomingMessage, socket: HandedOver) => {
    // Nobody else listens any more to what happens to this connection.
    socket.on('error', () => socket.destroy());
    if (!canAnswer(socket)) return void socket.destroy();
    const { headers } = request;
    endWith(socket, serialize(dispatcher.refuse(refusalOf(request), { method: 'CONNECT', headers })));
  });
}

/** The parser's reasons, by Node's error codes. */
function refusalOf({ code }: NodeJS.ErrnoException): DomainError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new DomainError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return new DomainError('HEADERS_TOO_LARGE', 'The request line and headers are larger than 16 KiB together.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new DomainError('PAYLOAD_TOO_LARGE', 'The extensions of a chunk are too large.');
    default:
      return new DomainError('INVALID_REQUEST', 'The request is not valid HTTP.');
  }
}

function serialize({ status, headers, body }: HttpResponse): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
