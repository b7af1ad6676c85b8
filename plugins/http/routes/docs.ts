/** The documentation for people: an interactive reader of the OpenAPI document. */
import { late } from '../../../core/late.ts';
import { readerPage } from '../pages/docs/reader-page.ts';
import { loadReaderScript } from '../pages/docs/reader-script.ts';
import { scriptNamed } from '../pages/page-script.ts';
import { fileRoute } from '../pages/static-file.ts';
import { defineRoute, PAGES, type Route } from '../route.ts';

/** Below `/docs`, so that a link relative to the page finds it behind any prefix. */
const SCRIPT_PATH = '/docs/scripts/{file}';

/** Compressed once for all instances of a process, if the sources run. */
const readScript = late(loadReaderScript);

export const docsRoutes: readonly Route[] = [
  defineRoute('docs', 'GET /docs', {
    tag: PAGES,
    summary: 'This document, for reading',
    description: 'With search, samples and calls to try. Nothing is loaded from elsewhere.',
    access: 'public',
    responses: { 200: { description: 'The page.', contentType: 'text/html' } },
    handle: async ({ baseUrl }) => {
      const script = await readScript();
      return readerPage(script === null ? null : SCRIPT_PATH.slice(1).replace('{file}', script.name), baseUrl);
    },
  }),
  fileRoute('docsScript', SCRIPT_PATH, {
    summary: 'The script of the documentation page',
    name: /^reader-[0-9a-f]{16}\.js$/,
    find: (name) => scriptNamed(name, readScript),
    missing: 'There is no script of this name. Load /docs again.',
  }),
];
