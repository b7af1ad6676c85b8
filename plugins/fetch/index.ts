/**
 * Serves Credence with the web's own `Request` and `Response`, for Hono, Next.js route handlers and everything else that
 * takes such a handler:
 *
 *     const handle = credenceFetch(credence, { basePath: '/engagement' });
 *     app.all('/engagement/*', (c) => handle(c.req.raw));
 */
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import { DomainError } from '../../core/errors.ts';
import { createRouteMatcher } from '../http/match-route.ts';
import type { BodySource, HttpResponse, RawRequest } from '../http/message.ts';
import { mountPath } from '../http/mount-path.ts';
import { checkMountable, type Mountable } from '../http/mountable.ts';
import { createNotFound, dialectOfPath, NO_SUCH_PATH } from '../http/not-found.ts';
import { invalidHost } from '../http/request-headers.ts';

/** Where the handler is mounted, and who calls. */
export interface FetchOptions {
  /**
   * The path below which Credence is served, for example `/engagement`.
   * @default '' (the root)
   */
  readonly basePath?: string;
  /**
   * Returns the client's address. A `Request` has none, so limits by address count all callers without a token together
   * unless you set this. Believe a forwarding header only behind a proxy that overwrites it.
   * @default () => ''
   */
  readonly ipOf?: (request: Request) => string;
}

// `basePath` has a check of its own, which shows an example.
const fetchOptions = z.strictObject({ basePath: z.unknown().optional(), ipOf: z.unknown().optional() });

/** Answers a web-standard request. */
export type FetchHandler = (request: Request) => Promise<Response>;

/**
 * Makes the handler for one Credence instance. Never rejects; unknown paths get a 404 in the documented form.
 * @throws ConfigurationError if it is given no instance, for unknown options, or if `basePath` does not begin with a slash
 * @example
 * ```ts
 * import { createCredence } from 'credence';
 * import { credenceFetch } from 'credence/fetch';
 * import { Hono } from 'hono';
 *
 * const credence = createCredence();
 * await credence.start();
 * const handle = credenceFetch(credence, { basePath: '/engagement' });
 * export const app = new Hono();
 * app.all('/engagement/:path{.+}', ({ req }) => handle(req.raw));
 * ```
 */
export function credenceFetch(credence: Mountable, options: FetchOptions = {}): FetchHandler {
  checkMountable(credence, 'credenceFetch');
  checkOptions('credenceFetch', fetchOptions, options);
  const { ipOf = () => '' } = options;
  const basePath = mountPath(options.basePath, 'basePath');
  const match = createRouteMatcher(credence.routes);
  const notFound = createNotFound(credence.routes);
  return async (request) => {
    const { method } = request;
    const headers = Object.fromEntries(request.headers);
    const isHead = method === 'HEAD';
    const url = URL.parse(request.url);
    const pathname = url === null ? pathOf(request.url) : url.pathname;
    const isBelow = pathname.startsWith(`${basePath}/`);
    const path = isBelow ? pathname.slice(basePath.length) : pathname;
    try {
      // Frameworks take it from the Host header, and not all of them check that.
      if (url === null) throw invalidHost();
      const matched = isBelow ? match(method, path) : null;
      if (matched === null) throw isBelow ? notFound(method, path) : new DomainError('NOT_FOUND', NO_SUCH_PATH);
      const answer = await credence.dispatcher.dispatch(matched.route, {
        method,
        params: matched.params,
        query: url.search.slice(1),
        headers,
        body: bodyOf(request.body),
        raw: rawOf(request.headers.get('host')),
        native: request,
        ip: () => ipOf(request),
        baseUrl: () => url.origin + basePath,
        signal: () => request.signal,
      });
      return toResponse(answer, isHead);
    } catch (error) {
      return toResponse(credence.dispatcher.refuse(error, { method, headers }, dialectOfPath(path)), isHead);
    }
  };
}

/** The path of a URL that has no valid host. */
function pathOf(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] as string;
}

/** Repeated headers arrive joined by commas; a host name has none. */
function rawOf(host: string | null): RawRequest {
  const hosts = host === null ? [] : host.split(',');
  return { httpVersion: '', rawHeaders: hosts.flatMap((value) => ['host', value]) };
}

function bodyOf(body: ReadableStream<Uint8Array> | null): BodySource {
  if (body === null) return { kind: 'none' };
  const iterator = body[Symbol.asyncIterator]();
  // Ends a body that continues after its refusal: the iterator holds the lock, so it must cancel.
  const destroy = () => iterator.return?.();
  return { kind: 'stream', stream: { [Symbol.asyncIterator]: () => iterator, destroy } };
}

function toResponse(response: HttpResponse, isHead: boolean): Response {
  const { status, headers, body, release, streamed } = response;
  if (streamed !== undefined) {
    return new Response(isHead ? null : streamedBody(streamed), { status, headers });
  }
  // A 304 has no body. Its length would be the length of the body that the client has.
  if (status === 304) return new Response(null, { status, headers });
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body as Uint8Array<ArrayBuffer>);
  const withLength = { ...headers, 'content-length': String(bytes.length) };
  if (isHead || bytes.length === 0) {
    release?.();
    return new Response(null, { status, headers: withLength });
  }
  return new Response(release === undefined ? bytes : heldBody(bytes, release), { status, headers: withLength });
}

/** Reads the next piece when the client has taken the one before. */
function streamedBody(streamed: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = streamed[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: async () => void (await pieces.return?.()),
    },
    { highWaterMark: 0 },
  );
}

const PIECE_BYTES = 64 * 1024;

/** Gives a large answer in pieces as the client takes them. How long it may take is for the host's server to say. */
function heldBody(bytes: Uint8Array<ArrayBuffer>, release: () => void): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES));
        sent += PIECE_BYTES;
        if (sent < bytes.length) return;
        release();
        controller.close();
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}
