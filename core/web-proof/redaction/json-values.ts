import { decodeUtf8 } from '../http/text.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import type { PathMatcher } from './json-path.ts';

/** A scalar of a JSON document. */
export interface JsonScalar {
  /** Where its bytes are in the document; for strings without the quotes. */
  readonly range: ByteRange;
  /** The text of a string with its escapes undone, or the literal as it stands. */
  readonly text: string;
  /** For messages: `user.email`, `items[0]`, empty for a document that is a scalar itself. */
  readonly path: string;
}

/** Why a document cannot be walked; reads on from "the body ". */
export class JsonUnreadable extends Error {
  override readonly name = 'JsonUnreadable';
}

const MAX_DEPTH = 128;
/** In UTF-8. */
const BYTE_ORDER_MARK_LENGTH = 3;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A byte order mark is a part of the name or string that it begins. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The scalars of a JSON document that a selection hides, in document order, all duplicates of a name included.
 * @param hides whether the scalar with this matcher is hidden.
 * @param names is given where the names of members stand, without the quotes.
 * @throws JsonUnreadable when the bytes are not exactly one JSON document in UTF-8, or nested deeper than 128 levels.
 */
export function findScalars(
  document: Uint8Array,
  root: PathMatcher,
  hides: (matcher: PathMatcher) => boolean,
  names: ByteRange[] = [],
): JsonScalar[] {
  const text = decodeUtf8(document);
  if (text === null) throw new JsonUnreadable('is not UTF-8');
  // Readers pass over one byte order mark.
  const start = text.startsWith('\ufeff') ? BYTE_ORDER_MARK_LENGTH : 0;
  try {
    // The platform's parser decides what is JSON; the walk below may then rely on it.
    JSON.parse(start === 0 ? text : text.slice(1));
  } catch {
    throw new JsonUnreadable('is not JSON');
  }
  const found: JsonScalar[] = [];
  const visit: Visit = (range, { matcher, path }) => {
    if (hides(matcher)) found.push({ range, text: scalarText(document, range), path });
  };
  const end = walkValue(document, skipSpace(document, start), { matcher: root, path: '', depth: 0 }, { visit, names });
  if (skipSpace(document, end) !== document.length) throw new JsonUnreadable('is not JSON');
  return found;
}

/** Where in the document the walk is. */
interface Place {
  readonly matcher: PathMatcher;
  readonly path: string;
  readonly depth: number;
}

type Visit = (range: ByteRange, place: Place) => void;

interface Walk {
  readonly visit: Visit;
  readonly names: ByteRange[];
}

/** Walks the value at `at`; returns the offset behind it. */
function walkValue(bytes: Uint8Array, at: number, place: Place, walk: Walk): number {
  if (place.depth > MAX_DEPTH) throw new JsonUnreadable(`is nested deeper than ${MAX_DEPTH} levels`);
  const first = String.fromCharCode(bytes[at] ?? 0);
  if (first === '{' || first === '[') return walkContainer(bytes, at, place, walk);
  if (first === '"') {
    const end = stringEnd(bytes, at);
    walk.visit({ start: at + 1, end: end - 1 }, place);
    return end;
  }
  let end = at;
  while (end < bytes.length && /[-+.0-9A-Za-z]/.test(String.fromCharCode(bytes[end] ?? 0))) end++;
  walk.visit({ start: at, end }, place);
  return end;
}

function walkContainer(bytes: Uint8Array, start: number, { matcher, path, depth }: Place, walk: Walk): number {
  const isObject = bytes[start] === 0x7b;
  const close = isObject ? 0x7d : 0x5d;
  let at = skipSpace(bytes, start + 1);
  for (let index = 0; bytes[at] !== close; index++) {
    let child: Place;
    if (isObject) {
      const nameEnd = stringEnd(bytes, at);
      walk.names.push({ start: at + 1, end: nameEnd - 1 });
      const name = scalarText(bytes, { start: at + 1, end: nameEnd - 1 });
      child = { matcher: matcher.member(name), path: path === '' ? name : `${path}.${name}`, depth: depth + 1 };
      // Past the colon.
      at = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    } else {
      child = { matcher: matcher.element(index), path: `${path}[${index}]`, depth: depth + 1 };
    }
    at = skipSpace(bytes, walkValue(bytes, at, child, walk));
    if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
    else if (bytes[at] !== close) throw new JsonUnreadable('is not JSON');
  }
  return at + 1;
}

/** Offset behind the closing quote. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/** Undoes the escapes when the scalar is a string. */
function scalarText(bytes: Uint8Array, { start, end }: ByteRange): string {
  const text = utf8.decode(bytes.subarray(start, end));
  return bytes[start - 1] === QUOTE && text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
