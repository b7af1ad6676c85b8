/** The standalone Fastify application around one Credence instance. */
import type { IncomingMessage } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { isDomainError } from '../../core/errors.ts';
import { packageVersion } from '../../plugins/compose/version.ts';
import { credenceFastify } from '../../plugins/fastify/index.ts';
import { ClientConnection, framingError, type Mountable } from '../../plugins/http/mountable.ts';
import { createNotFound, dialectOfPath, pathOfTarget } from '../../plugins/http/not-found.ts';
import { type Html, html, joined, stylesheet, wholePage } from '../../plugins/http/pages/html.ts';
import { LOGO } from '../../plugins/http/pages/logo.ts';
import {
  answerExpectations,
  clientErrorListener,
  refuseTunnels,
  SERVER_OPTIONS,
} from '../../plugins/http/protocol-errors.ts';
import { hostRefusal } from '../../plugins/http/request-headers.ts';
import { limitServer } from '../../plugins/http/server-limits.ts';

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

const STYLE = stylesheet(
  `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{max-width:34rem;margin:15vh auto;padding:0 1rem}
h1{font-size:1.75rem}li{margin:.75rem 0}a{color:light-dark(#0a6f60,#7ed6c6);font-weight:600}`,
  ['img-src data:'],
);

const PAGES = [
  { path: '/console', name: 'Console', text: 'Campaigns, creators, webhooks and web proofs.' },
  { path: '/docs', name: 'API documentation', text: 'Every operation, to try in the browser.' },
  { path: '/healthz', name: 'Health', text: 'Whether this process runs.' },
  { path: '/readyz', name: 'Readiness', text: 'Whether its parts work.' },
] as const;

/**
 * Answers a person's browser where no row does: the root, a wrong address, a slash too many, the icon. Undefined leaves the answer
 * to the API.
 */
function answerPeople(
  { method, headers, url = '/' }: IncomingMessage,
  reply: FastifyReply,
  { routes }: Pick<Mountable, 'routes'>,
): FastifyReply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = pathOfTarget(url);
  if (path === '/favicon.ico') {
    return reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(LOGO);
  }
  // Browsers name HTML first, and clients of the API send a token.
  if (!/^\s*text\/html\b/.test(headers.accept ?? '') || headers.authorization !== undefined) return undefined;
  const served = PAGES.filter((page) => routes.some((route) => route.path === page.path));
  // Relative, so that it holds behind a proxy's prefix too.
  const meant = served.find((page) => path === `${page.path}/`);
  if (meant !== undefined) return reply.redirect(`..${meant.path}`, 308);
  if (path === '/') return sendPage(reply, 200, frontPage(served));
  return sendPage(
    reply,
    404,
    html`<h1>There is no such page</h1>
<p>The address may be misspelt. <a href="/">Start here</a>.</p>`,
  );
}

function frontPage(served: readonly (typeof PAGES)[number][]): Html {
  const items = served.map(({ path, name, text }) => html`<li><a href=".${path}">${name}</a><br>${text}</li>`);
  return html`<h1>Credence ${packageVersion()}</h1>
<ul>
${joined(items)}
</ul>`;
}

function sendPage(reply: FastifyReply, status: number, body: Html): FastifyReply {
  const page = wholePage(status, 'Credence', body, STYLE);
  return reply
    .code(status)
    .headers({ ...page.headers, 'content-type': page.contentType ?? 'text/html', 'x-content-type-options': 'nosniff' })
    .send(page.body);
}
