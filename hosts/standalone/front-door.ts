/** What people with a browser meet at the standalone host beside its pages: the root, a wrong address, a slash too many, the icon. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply } from 'fastify';
import { packageVersion } from '../../plugins/compose/version.ts';
import type { Mountable } from '../../plugins/http/mountable.ts';
import { pathOfTarget } from '../../plugins/http/not-found.ts';
import { type Html, html, joined, stylesheet, wholePage } from '../../plugins/http/pages/html.ts';
import { LOGO } from '../../plugins/http/pages/logo.ts';

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

/** Answers a person's browser where no row does; undefined leaves the answer to the API. */
export function answerPeople(
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
