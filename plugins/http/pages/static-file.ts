/** A file of a page: loaded once, compressed, and kept by browsers as long as they like, since its name changes with its content. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { DomainError } from '../../../core/errors.ts';
import { type Late, late } from '../../../core/late.ts';
import { definePage, type Reply } from '../route.ts';

/** The file as it is served. */
export interface StaticFile {
  readonly contentType: string;
  readonly etag: string;
  readonly gzipped: Uint8Array;
  /** For a client that does not take gzip. */
  readonly plain: Late<Uint8Array>;
}

/** Names the content in 16 hex digits. */
export function contentHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** Makes a file that is served as it is, or unpacked for clients that take no gzip. */
export function staticFile(gzipped: Uint8Array, contentType: string): StaticFile {
  return {
    contentType,
    // Weak, because the compressed and the plain bytes share it.
    etag: `W/"${contentHash(gzipped)}"`,
    gzipped,
    plain: late(() => promisify(gunzip)(gzipped)),
  };
}

/** What a row of files serves. */
export interface FileRoute {
  /** Matches the names that files may have. */
  readonly name: RegExp;
  readonly find: (name: string) => Promise<StaticFile | undefined>;
  /** What a client is told that asks for a file that is not there. */
  readonly missing: string;
}

/** A row that serves files; its path ends with `{file}`. */
export function fileRoute(id: string, path: string, { name, find, missing }: FileRoute) {
  return definePage(id, `GET ${path}`, {
    access: 'public',
    params: z.object({ file: z.string().regex(name) }),
    statuses: [200, 304],
    errors: ['NOT_FOUND'],
    handle: async (input) => {
      const file = await find(input.params.file);
      if (file === undefined) throw new DomainError('NOT_FOUND', missing);
      return fileReply(file, (header) => input.header(header));
    },
  });
}

/** Answers with the file, or with 304 if the client has it; `header` returns a request header by lower-case name. */
async function fileReply(file: StaticFile, header: (name: string) => string | undefined): Promise<Reply> {
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    etag: file.etag,
    vary: 'accept-encoding',
  };
  if (names(header('if-none-match'), file.etag)) return { status: 304, headers };
  const { contentType } = file;
  if (!takesGzip(header('accept-encoding'))) {
    return { status: 200, contentType, headers, body: await file.plain() };
  }
  return { status: 200, contentType, headers: { ...headers, 'content-encoding': 'gzip' }, body: file.gzipped };
}

function names(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = ifNoneMatch?.split(',').map((tag) => tag.trim()) ?? [];
  // Weak comparison: a proxy may have taken the mark of weakness away.
  return known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag.replace(/^W\//, ''));
}

function takesGzip(acceptEncoding = ''): boolean {
  const codings = acceptEncoding.toLowerCase().split(',');
  const named = codings.filter((coding) => /^\s*(?:x-)?gzip\s*(?:;|$)/.test(coding));
  // `*` is about what has no name of its own.
  const judged = named.length > 0 ? named : codings.filter((coding) => /^\s*\*\s*(?:;|$)/.test(coding));
  return judged.some((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding));
}
