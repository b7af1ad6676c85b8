/** The documentation for people: an interactive reader of the OpenAPI document, and a plain page without scripts. */
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { late } from '../../../core/late.ts';
import type { OpenApiDocument } from '../openapi.ts';
import { docsPage } from '../pages/docs/docs-page.ts';
import type { DocsDocument } from '../pages/docs/document.ts';
import { readerPage } from '../pages/docs/reader-page.ts';
import { loadReaderScript } from '../pages/docs/reader-script.ts';
import { definePage, type Reply, type Route } from '../route.ts';

/** Below `/docs`, so that a link relative to the page finds it behind any prefix. */
const SCRIPT_PATH = '/docs/scripts/{file}';

export function createDocsRoutes(readDocument: () => Promise<OpenApiDocument>): Route[] {
  const readScript = late(loadReaderScript);
  const readPlainPage = late(async () => sharedText(docsPage((await readDocument()) as DocsDocument)));
  return [
    definePage({
      id: 'docs',
      method: 'GET',
      path: '/docs',
      tag: 'Service',
      summary: 'This document, for reading',
      description:
        'With search, samples and calls to try. `?plain` gives one page without scripts; so does an installation without the reader. Nothing is loaded from elsewhere.',
      access: 'public',
      query: z.object({
        plain: z.enum(['', '1', 'true']).optional().meta({ description: 'If it is there: the page without scripts.' }),
      }),
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      handle: async ({ query, baseUrl }) => {
        const script = query.plain === undefined ? await readScript() : null;
        if (script === null) return readPlainPage();
        const { title } = (await readDocument()).info;
        return readerPage({
          title: `${title} API`,
          script: SCRIPT_PATH.slice(1).replace('{file}', script.name),
          baseUrl,
        });
      },
    }),
    definePage({
      id: 'docsScript',
      method: 'GET',
      path: SCRIPT_PATH,
      tag: 'Service',
      summary: 'The script of the documentation page',
      description: 'Its name changes with its content, so it may be kept forever.',
      access: 'public',
      params: z.object({ file: z.string().regex(/^reader-[0-9a-f]{16}\.js$/) }),
      responses: {
        200: { description: 'The script.', contentType: 'text/javascript' },
        304: { description: 'The one that `If-None-Match` names is still good.' },
      },
      errors: ['NOT_FOUND'],
      handle: async (input) => {
        const script = await readScript();
        if (script === null || input.params.file !== script.name) {
          throw new DomainError('NOT_FOUND', 'There is no script of this name. Load /docs again.');
        }
        const headers = {
          'cache-control': 'public, max-age=31536000, immutable',
          etag: script.etag,
          vary: 'accept-encoding',
        };
        if (names(input.header('if-none-match'), script.etag)) return { status: 304, headers };
        const contentType = 'text/javascript; charset=utf-8';
        if (!takesGzip(input.header('accept-encoding'))) {
          return { status: 200, contentType, headers, encoded: await script.plain() };
        }
        return {
          status: 200,
          contentType,
          headers: { ...headers, 'content-encoding': 'gzip' },
          encoded: script.gzipped,
        };
      },
    }),
  ];
}

/** Anybody may ask for it, and leave it unread on any number of connections: they share its bytes. */
export function sharedText(reply: Reply): Reply {
  return typeof reply.body === 'string' ? { ...reply, encoded: Buffer.from(reply.body) } : reply;
}

function names(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim()) ?? [];
  // Weak comparison: a proxy may have taken the mark of weakness away.
  return known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}

function takesGzip(acceptEncoding = ''): boolean {
  return acceptEncoding
    .toLowerCase()
    .split(',')
    .some((coding) => /^\s*(gzip|x-gzip|\*)\s*(;|$)/.test(coding) && !/;\s*q=0(\.0*)?\s*$/.test(coding));
}
