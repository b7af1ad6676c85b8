/** A script of a page, served from the package under a name that changes with its content. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { type Late, late } from '../../../core/late.ts';
import { definePage, type Reply, type RouteInput } from '../route.ts';

/** The script as it is served. */
export interface PageScript {
  /** Names the content, so that a browser may keep the file forever. */
  readonly name: string;
  readonly etag: string;
  readonly gzipped: Uint8Array;
  /** For a client that does not take gzip. */
  readonly plain: Late<Uint8Array>;
}

/** Names a script by its content: `<kind>-<hash>.js`. */
export function pageScript(kind: string, gzipped: Uint8Array): PageScript {
  const hash = createHash('sha256').update(gzipped).digest('hex').slice(0, 16);
  return {
    name: `${kind}-${hash}.js`,
    // Weak, because the compressed and the plain bytes share it.
    etag: `W/"${hash}"`,
    gzipped,
    plain: late(() => promisify(gunzip)(gzipped)),
  };
}

/** What tells the scripts of two pages apart. */
export interface ScriptRoute<Id extends string> {
  readonly id: Id;
  /** Ends with `/{file}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Fits every name that the script may have. */
  readonly file: RegExp;
  /** Where to load the page with its present name. */
  readonly page: string;
  readonly read: Late<PageScript | null>;
}

/** The row that serves a script. */
export function scriptRoute<const Id extends string>({ id, path, tag, summary, file, page, read }: ScriptRoute<Id>) {
  return definePage({
    id,
    method: 'GET',
    path,
    tag,
    summary,
    description: 'Its name changes with its content, so it may be kept forever.',
    access: 'public',
    params: z.object({ file: z.string().regex(file) }),
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
      return answer(script, input);
    },
  });
}

async function answer(
  { etag, gzipped, plain }: PageScript,
  request: Pick<RouteInput<unknown, unknown, unknown>, 'header'>,
): Promise<Reply> {
  const headers = { 'cache-control': 'public, max-age=31536000, immutable', etag, vary: 'accept-encoding' };
  if (names(request.header('if-none-match'), etag)) return { status: 304, headers };
  const contentType = 'text/javascript; charset=utf-8';
  if (!takesGzip(request.header('accept-encoding'))) {
    return { status: 200, contentType, headers, encoded: await plain() };
  }
  return { status: 200, contentType, headers: { ...headers, 'content-encoding': 'gzip' }, encoded: gzipped };
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
