/** A script of a page, served from the package under a name that changes with its content. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { fileBeside } from '../../../adapters/package-loader/index.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Late } from '../../../core/late.ts';
import { defineRoute, PAGES } from '../route.ts';
import { contentHash, type StaticFile, staticFile, staticFileReply } from './static-file.ts';

/** The script as it is served. */
export interface PageScript extends StaticFile {
  /** Names the content, so that a browser may keep the file forever. */
  readonly name: string;
}

/** Names a script by its content: `<kind>-<hash>.js`. */
export function pageScript(kind: string, gzipped: Uint8Array): PageScript {
  return { ...staticFile(gzipped, 'text/javascript; charset=utf-8'), name: `${kind}-${contentHash(gzipped)}.js` };
}

/** A file that the build puts beside a module; null if it is missing, as in a bundle of one file. */
export async function builtFile(moduleUrl: string, name: string): Promise<Uint8Array | null> {
  try {
    return await readFile(fileBeside(moduleUrl, name));
  } catch {
    return null;
  }
}

/** What tells the scripts of two pages apart. */
export interface ScriptRoute {
  readonly id: string;
  /** Ends with `/{file}`. */
  readonly path: string;
  readonly summary: string;
  /** What its file names begin with; a dash and a digest follow. */
  readonly name: string;
  /** Where to load the page with its present name. */
  readonly page: string;
  readonly read: Late<PageScript | null>;
}

/** The row that serves a script. */
export function scriptRoute({ id, path, summary, name, page, read }: ScriptRoute) {
  const file = z.string().regex(new RegExp(`^${name}-[0-9a-f]{16}\\.js$`));
  return defineRoute(id, `GET ${path}`, {
    tag: PAGES,
    summary,
    description: 'Its name changes with its content, so it may be kept forever.',
    access: 'public',
    params: z.object({ file }),
    responses: {
      200: { description: 'The script.', contentType: 'text/javascript' },
      304: { description: 'The one that `If-None-Match` names is still good.' },
    },
    errors: ['NOT_FOUND'],
    handle: async (input) => {
      const script = await read();
      if (script === null || input.params.file !== script.name) {
        throw new DomainError('NOT_FOUND', `There is no script of this name. Load ${page} again.`);
      }
      return staticFileReply(script, (name) => input.header(name));
    },
  });
}
