/** The standalone Fastify application around one Credence instance. */
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { isDomainError } from '../../core/errors.ts';
import { credenceFastify } from '../../plugins/fastify/index.ts';
import { ClientConnection, framingError, type Mountable } from '../../plugins/http/mountable.ts';
import { createNotFound, dialectOfPath, pathOfTarget } from '../../plugins/http/not-found.ts';
import {
  answerExpectations,
  clientErrorListener,
  refuseTunnels,
  SERVER_OPTIONS,
} from '../../plugins/http/protocol-errors.ts';
import { hostRefusal } from '../../plugins/http/request-headers.ts';
import { limitServer } from '../../plugins/http/server-limits.ts';
import { answerPeople } from './front-door.ts';

export interface AppOptions {
  /** Proxies whose `X-Forwarded-For` is believed: addresses or CIDRs; none by default. */
  readonly trustProxy?: readonly string[] | undefined;
}

/** The dispatcher checks what Fastify's schemas would. Loading the compilers of those takes a tenth of a start. */
const NO_COMPILERS = { buildValidator: withoutSchemas, buildSerializer: withoutSchemas };

function withoutSchemas(): never {
  throw new Error('No route of this application has a schema for Fastify.');
}

/** Builds the application; the caller listens and closes. */
export async function createApp(credence: Mountable, options: AppOptions = {}): Promise<FastifyInstance> {
  const notFound = createNotFound(credence.routes);
  const missing = (request: IncomingMessage) =>
    hostRefusal(request) ?? notFound(request.method ?? '', pathOfTarget(request.url ?? ''));
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const response = credence.dispatcher.refuse(error, request, dialectOfPath(pathOfTarget(request.url)));
    new ClientConnection(reply.raw).carry(response);
    return reply.code(response.status).headers(response.headers).send(response.body);
  };
  const app = fastify({
    http: SERVER_OPTIONS,
    schemaController: { compilersFactory: NO_COMPILERS },
    trustProxy: options.trustProxy ? [...options.trustProxy] : false,
    forceCloseConnections: 'idle',
    // How long a value in a path may be is for the schemas to say. Node.js bounds the whole head.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    clientErrorHandler: clientErrorListener(credence.dispatcher),
    frameworkErrors: (error, request, reply) => refuse(framingError(error), request, reply),
  });
  app.setErrorHandler((error, request, reply) => {
    const framed = framingError(error);
    // Fastify looks at the content type of a request that no row takes.
    return refuse(request.is404 && framed !== error ? missing(request.raw) : framed, request, reply);
  });
  // The body of a request that no row takes is not looked at.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  // The connection of a request that is under way when the closing begins ends with its answer; kept alive, it would be waited for.
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
  app.setNotFoundHandler((request, reply) => {
    const error = missing(request.raw);
    const page = isDomainError(error, 'NOT_FOUND') ? answerPeople(request.raw, reply, credence) : undefined;
    return page ?? refuse(error, request, reply);
  });
  await app.register(credenceFastify(credence));
  answerExpectations(app.server, credence.dispatcher);
  refuseTunnels(app.server, credence.dispatcher, missing);
  limitServer(app.server);
  return app;
}
