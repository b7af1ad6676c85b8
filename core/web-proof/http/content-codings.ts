/** The content codings that a message names. */
import type { ContentCoding } from '../../ports/content-decoder.ts';

/** Nested codings are legal and unheard of beyond two. */
export const MAX_CODINGS = 3;
const CODINGS: Readonly<Record<string, ContentCoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
};

/** What the values of `content-encoding` name, in the order in which it was applied. */
export function codingNames(headers: readonly string[]): string[] {
  const names = headers.flatMap((header) => header.split(',')).map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

/** Undefined for a coding that nobody here undoes. */
export function codingNamed(name: string): ContentCoding | undefined {
  return Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined;
}

/** RFC 1950: method 8, and the first two bytes are a multiple of 31. Raw deflate data has no such header. */
export function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return bytes.length >= 2 && (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
