/**
 * Mounts Credence on Express 4 or 5:
 *
 *     app.use('/engagement', credenceExpress(credence));
 *
 * Mount it before `express.json()`: parsed bodies are accepted too, but within the parser's limits, and without the bytes that a
 * signature covers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createRouteMatcher, type MatchedRoute } from '../http/match-route.ts';
import type { BodySource, HttpRequest, HttpResponse } from '../http/message.ts';
import { ClientConnection, checkMountable, framingError, type Mountable, queryOf } from '../http/mountable.ts';
import { dialectOfPath } from '../http/not-found.ts';
import { linkableHost } from '../http/request-headers.ts';
import { besideVary } from '../http/vary.ts';

/** What Credence reads of an Express request, in both versions. */
export interface ExpressRequest extends IncomingMessage {
  readonly method: string;
  readonly url: string;
  /** Without the query and the path of the mount. */
  readonly path: string;
  /** The path of the mount. */
  readonly baseUrl: string;
  readonly protocol: string;
  readonly ip?: string | undefined;
  /** Set by the middleware of a log. */
  readonly id?: unknown;
  readonly app: {
    /** Reads a setting: `trust proxy`. */
    get(setting: string): unknown;
  };
  readonly body?: unknown;
}

/** Takes the requests of Credence's routes and hands every other request to `next`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * The middleware for one Credence instance; mount it with `app.use`. It does not load Express.
 * @example
 * ```ts
 * import { createCredence } from 'credence';
 * import { credenceExpress } from 'credence/express';
 * import express from 'express';
 *
 * const credence = createCredence();
 * const app = express();
 * app.use('/engagement', credenceExpress(credence));
 * await credence.start();
 * app.listen(3000);
 * ```
 */
export function credenceExpress(credence: Mountable): ExpressHandler {
  checkMountable(credence, 'credenceExpress');
  const match = createRouteMatcher(credence.routes);
  async function answer({ route, params }: MatchedRoute, request: ExpressRequest, response: ServerResponse) {
    const connection = new ClientConnection(response);
    const answered = await credence.dispatcher.dispatch(route, requestOf(request, params, connection));
    connection.carry(answered);
    if (answered.streamed === undefined) return send(response, answered);
    writeHead(response, answered);
    // What cuts an answer off ends its connection, and was logged.
    await pipeline(connection.bodyOf(answered.streamed), response).catch(() => undefined);
  }
  return (request, response, next) => {
    const failed = (error: unknown) => {
      if (response.headersSent) return next(error);
      const { method, headers } = request;
      const refused = { method, headers, requestId: requestIdOf(request) };
      send(response, credence.dispatcher.refuse(framingError(error), refused, dialectOfPath(request.path)));
    };
    try {
      // OPTIONS matches no route: it belongs to the host (CORS).
      const matched = match(request.method, request.path);
      if (matched === null) next();
      else answer(matched, request, response).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}

function requestOf(native: ExpressRequest, params: HttpRequest['params'], connection: ClientConnection): HttpRequest {
  const { method, url, headers } = native;
  return {
    method,
    requestId: requestIdOf(native),
    params,
    query: queryOf(url),
    headers,
    body: bodyOf(native),
    raw: native,
    native,
    ip: () => native.ip ?? '',
    baseUrl: () => `${native.protocol}://${linkableHost(hostOf(native))}${native.baseUrl}`,
    signal: () => connection.signal,
  };
}

/** What the middleware of a log, such as pino-http, calls the request. */
function requestIdOf({ id }: ExpressRequest): string | undefined {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** The host with its port, as `request.host` of Express 5 has it. Express 4 deprecates that name and drops the port. */
function hostOf({ app, headers, socket }: ExpressRequest): string {
  const forwarded = headers['x-forwarded-host'];
  const isTrusted = app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  if (typeof forwarded !== 'string' || !isTrusted(socket.remoteAddress, 0)) return headers.host ?? '';
  return (forwarded.split(',', 1)[0] as string).trimEnd();
}

function bodyOf(request: ExpressRequest): BodySource {
  const parsed: unknown = request.body;
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  const isEmpty = chunked === undefined && (length === undefined || length === '0');
  if (Buffer.isBuffer(parsed)) return { kind: 'bytes', bytes: parsed };
  // `express.text()` decodes a body and does not parse it.
  if (typeof parsed === 'string') return { kind: 'bytes', bytes: Buffer.from(parsed) };
  // Parsers make `{}` of no body.
  if (isEmpty && (parsed === undefined || isEmptyObject(parsed))) return { kind: 'none' };
  // Parsers of Express 4 also make `{}` of a body of another type, and leave its bytes unread.
  const isUnread = isEmptyObject(parsed) && !request.readableDidRead;
  if (parsed !== undefined && !isUnread) return { kind: 'parsed', value: parsed };
  return { kind: 'stream', stream: request };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function send(response: ServerResponse, answered: HttpResponse): void {
  writeHead(response, answered);
  response.end(answered.body);
}

function writeHead(response: ServerResponse, { status, headers: own }: HttpResponse): void {
  const headers = besideVary(own, response.getHeader('vary'));
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] as string);
}
