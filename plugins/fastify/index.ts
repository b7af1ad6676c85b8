/**
 * Mounts Credence on Fastify 4 or 5:
 *
 *     await app.register(credenceFastify(credence), { prefix: '/engagement' });
 *
 * The plugin is encapsulated: its body handling and errors do not touch the host's own routes.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { BodySource, HttpRequest, HttpResponse } from '../http/message.ts';
import { ClientConnection, checkMountable, framingError, type Mountable, queryOf } from '../http/mountable.ts';
import { linkableHost, requestIdOf } from '../http/request-headers.ts';
import { besideVary } from '../http/vary.ts';

/**
 * For `@fastify/swagger`: the host's document leaves these routes out. It could not describe them, since the dispatcher checks
 * what Fastify's schemas would; `/openapi.json` below the prefix does.
 */
const HIDDEN: object = { hide: true };

/**
 * The plugin for one Credence instance; register it with a `prefix` to mount it below a path.
 * @example
 * ```ts
 * import { createCredence } from 'credence';
 * import { credenceFastify } from 'credence/fastify';
 * import { fastify } from 'fastify';
 *
 * const credence = createCredence();
 * const app = fastify();
 * await app.register(credenceFastify(credence), { prefix: '/engagement' });
 * app.addHook('onClose', () => credence.stop());
 * await credence.start();
 * await app.listen({ port: 3000 });
 * ```
 */
export function credenceFastify(credence: Mountable): FastifyPluginAsync {
  checkMountable(credence, 'credenceFastify');
  return async (app) => {
    app.removeAllContentTypeParsers();
    // The dispatcher reads the body itself, after it knows the caller.
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    app.addHook('preParsing', (request, _reply, payload, done) => {
      hideMalformedType(request);
      done(null, payload);
    });
    shareRequestIds(app);
    // Requests that the dispatcher answers, and logs.
    const answered = credence.logsRequests === true && logsRequests(app) ? new WeakSet<FastifyRequest>() : null;
    const quiet = answered === null ? {} : logOnce(app, answered);
    for (const route of credence.routes) {
      const url = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
      const pattern = segmentsOf(app.prefix + url);
      app.route({
        ...quiet,
        method: route.method,
        schema: HIDDEN,
        url,
        errorHandler: (error, request, reply) => {
          // What the host's own hooks throw is for its own error handler, which is the next one.
          if (!isFraming(error)) throw asError(error);
          const { method, headers, id } = request;
          answered?.add(request);
          send(
            reply,
            credence.dispatcher.refuse(framingError(error), { method, headers, requestId: id }, route.dialect),
          );
        },
        // Not async: Fastify would wait for a promise more. The dispatcher never rejects.
        handler: (request, reply) => {
          if (isEncoded(pattern, request.url)) return void reply.callNotFound();
          const connection = new ClientConnection(reply.raw);
          const answer = (response: HttpResponse) => {
            connection.carry(response);
            send(reply, response, response.streamed && connection.bodyOf(response.streamed));
          };
          answered?.add(request);
          credence.dispatcher
            .dispatch(route, requestOf(request, connection))
            .then(answer)
            .catch((error: unknown) => void reply.send(error));
        },
      });
    }
  };
}

const MEDIA_TYPE = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * Lets a request with a malformed content type reach the dispatcher, as on other mounts. Fastify 5 would refuse it before the
 * caller is known, and also where no body is read. Hooks of the host run as always.
 */
function hideMalformedType(request: FastifyRequest): void {
  const type = request.headers['content-type'];
  if (type === undefined || MEDIA_TYPE.test(type)) return;
  // Fastify lays them over those of the request.
  request.headers = { 'content-type': undefined };
}

/** Fastify's ids of its own making say nothing outside the process. */
const COUNTED_ID = /^req-[0-9a-z]+$/;

/** Lets Fastify call a request what its answer and Credence's log call it; a host with ids of its own keeps those. */
function shareRequestIds(app: FastifyInstance): void {
  // Missing in the types of Fastify 5, and with the setter in the first versions of Fastify 4.
  const { genReqId: idOf } = app as { readonly genReqId?: (request: IncomingMessage) => string };
  if (idOf === undefined || app.setGenReqId === undefined) return;
  app.setGenReqId((request) => {
    const id = String(idOf(request));
    return COUNTED_ID.test(id) ? requestIdOf(request.headers) : id;
  });
}

interface LeveledLog {
  readonly level?: string;
  /** Fastify needs them to set the level of a route. */
  readonly levels?: { readonly values?: Readonly<Record<string, number>> };
}

/** Whether Fastify writes lines for each request. */
function logsRequests({ log, initialConfig }: FastifyInstance): boolean {
  const { level, levels }: LeveledLog = log;
  const { info = 0, ...values } = levels?.values ?? {};
  const least = level === 'info' ? info : values[level ?? ''];
  return initialConfig.disableRequestLogging !== true && least !== undefined && least <= info;
}

/** Turns Fastify's own two lines off, and writes one for a request that a hook of the host has answered. */
function logOnce(app: FastifyInstance, answered: WeakSet<FastifyRequest>): { readonly logLevel: 'warn' } {
  app.addHook('onResponse', async (request, reply) => {
    if (answered.has(request)) return;
    app.log.info({ reqId: request.id, req: request, res: reply }, 'request completed');
  });
  return { logLevel: 'warn' };
}

function requestOf(native: FastifyRequest, connection: ClientConnection): HttpRequest {
  const { method, id: requestId, headers, raw } = native;
  return {
    method,
    requestId,
    params: native.params as Record<string, string>,
    query: queryOf(raw.url ?? ''),
    headers,
    body: bodyOf(native),
    raw,
    native,
    ip: () => native.ip,
    baseUrl() {
      // Fastify 4 has no `host`, and a port in `hostname`.
      const { protocol, host = native.hostname } = native;
      return `${protocol}://${linkableHost(host)}${mountPath(native)}`;
    },
    signal: () => connection.signal,
  };
}

/** The prefix, with the values of this request where it has parameters. */
function mountPath({ server, url }: FastifyRequest): string {
  const prefix = server.prefix.replace(/\/$/, '');
  if (!/[:*]/.test(prefix)) return prefix;
  return `/${segmentsOf(url).slice(0, segmentsOf(prefix).length).join('/')}`;
}

function segmentsOf(url: string): readonly string[] {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] as string;
  return path.split('/').filter(Boolean);
}

/** Whether a segment that is no parameter was percent-encoded: a hook that guards by path did not see it. Other mounts match none. */
function isEncoded(pattern: readonly string[], url: string): boolean {
  if (!url.includes('%')) return false;
  return segmentsOf(url).some((sent, at) => {
    const literal = pattern[at] ?? '';
    // What cannot be sent in another way is no disguise.
    const isDisguised = sent.toLowerCase() !== encodeURI(literal).toLowerCase();
    return sent.includes('%') && !/[:*]/.test(literal) && isDisguised;
  });
}

/** Whether Fastify itself refuses a request, for example for a body that is shorter than it said. */
function isFraming({ code, statusCode = 500 }: FastifyError): boolean {
  return typeof code === 'string' && code.startsWith('FST_ERR_') && statusCode < 500;
}

/** Fastify would send anything else that an error handler throws as a success. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('A hook threw what is no Error.', { cause: thrown });
}

/** A stream when nothing has parsed the body; a host's own `preParsing` or parser may already have. */
function bodyOf(request: FastifyRequest): BodySource {
  const body = request.body;
  if (body === undefined || body === null) return { kind: 'none' };
  if (typeof body === 'object' && Symbol.asyncIterator in body) {
    return { kind: 'stream', stream: body as AsyncIterable<Uint8Array> };
  }
  return { kind: 'parsed', value: body };
}

function send(reply: FastifyReply, response: HttpResponse, streamed?: Readable): FastifyReply {
  // Fastify gives an empty text a length, which a 304 must not have.
  const body = streamed ?? (response.status === 304 ? undefined : response.body);
  const headers = besideVary(response.headers, reply.getHeader('vary'));
  return reply.code(response.status).headers(headers).send(body);
}
