/** The documentation for people: an interactive reader of the OpenAPI document. */
import { late } from '../../../core/late.ts';
import { readerPage } from '../pages/docs/reader-page.ts';
import { loadReaderScript } from '../pages/docs/reader-script.ts';
import { scriptNamed } from '../pages/page-script.ts';
import { fileRoute } from '../pages/static-file.ts';
import { definePage, type Route } from '../route.ts';

/** Below `/docs`, so that a link relative to the page finds it behind any prefix. */
const SCRIPT_PATH = '/docs/scripts/{file}';

/** Compressed once for all instances of a process, if the sources run. */
const readScript = late(loadReaderScript);

export const docsRoutes: readonly Route[] = [
  definePage('docs', 'GET /docs', {
    access: 'public',
    statuses: [200],
    handle: async ({ baseUrl }) => {
      const script = await readScript();
      return readerPage(script === null ? null : SCRIPT_PATH.slice(1).replace('{file}', script.name), baseUrl);
    },
  }),
  fileRoute('docsScript', SCRIPT_PATH, {
    name: /^reader-[0-9a-f]{16}\.js$/,
    find: (name) => scriptNamed(name, readScript),
    missing: 'There is no script of this name. Load /docs again.',
  }),
];
