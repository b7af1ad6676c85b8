/**
 * Mounts Credence on Express 5:
 *
 *     app.use('/engagement', credenceExpress(credence));
 *
 * Mount it before `express.json()`: parsed bodies are taken too, but within the parser's limits, and without the bytes that a
 * signature covers.
 */
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import type { BodySource, HttpResponse } from '../http/message.ts';
import { frameworkPath, framingError, type Mountable, MountedRequest } from '../http/mountable.ts';
import { dialectOfPath } from '../http/not-found.ts';

/**
 * The router for one Credence instance. Express asks one route after the other whether it takes a path, so the routes are
 * spread over one router for each method and number of segments: a request meets a handful of them instead of all.
 */
export function credenceExpress(credence: Mountable): RequestHandler {
  const routers = new Map<string, Router>();
  for (const route of credence.routes) {
    const key = routerKey(route.method, route.path);
    const router = routers.get(key) ?? Router({ strict: true, caseSensitive: true });
    routers.set(key, router);
    const method = route.method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
    router[method](frameworkPath(route), async (request, response) => {
      const mounted = new MountedExpressRequest(request, request.url, bodyOf(request), response);
      const answer = await credence.dispatcher.dispatch(route, mounted);
      mounted.connection.carry(answer);
      send(response, answer);
    });
  }
  for (const router of routers.values()) {
    router.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
      if (response.headersSent) return next(error);
      send(response, credence.dispatcher.refuse(framingError(error), request, dialectOfPath(request.path)));
    });
  }
  // OPTIONS belongs to the host (CORS); a router would answer it with the methods it knows.
  return (request, response, next) => {
    const router = routers.get(routerKey(request.method, request.path));
    return router === undefined ? next() : router(request, response, next);
  };
}

/** Express answers HEAD with the routes of GET. */
function routerKey(method: string, path: string): string {
  return `${method === 'HEAD' ? 'GET' : method} ${path.split('/').length}`;
}

class MountedExpressRequest extends MountedRequest<Request> {
  get ip(): string {
    return this.native.ip ?? '';
  }

  get baseUrl(): string {
    const { protocol, host, baseUrl } = this.native;
    return `${protocol}://${host}${baseUrl}`;
  }
}

function bodyOf(request: Request): BodySource {
  const parsed: unknown = request.body;
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers;
  const isEmpty = chunked === undefined && (length === undefined || length === '0');
  if (Buffer.isBuffer(parsed)) return { kind: 'bytes', bytes: parsed };
  // Parsers make `{}` of no body.
  if (isEmpty && (parsed === undefined || isEmptyObject(parsed))) return { kind: 'none' };
  if (parsed !== undefined) return { kind: 'parsed', value: parsed };
  return { kind: 'stream', stream: request };
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function send(response: Response, { status, headers, body, encoded }: HttpResponse): void {
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] as string);
  response.end(encoded ?? body);
}
