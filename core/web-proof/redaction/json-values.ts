import { decodeLatin1, decodeUtf8 } from '../http/text.ts';
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
const COLON = 0x3a;
const COMMA = 0x2c;
/** A byte order mark is a part of the name or string that it begins. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Messages show less of a path. A longer one is not built: answers can have long names around many values. */
const MAX_PATH = 120;

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
  const found: JsonScalar[] = [];
  const visit: Visit = (range, { matcher, path }) => {
    if (hides(matcher)) found.push({ range, text: scalarText(document, range), path });
  };
  const walk: Walk = { visit, names: [] };
  const end = walkValue(document, skipSpace(document, start), { matcher: root, path: '', depth: 0 }, walk);
  if (skipSpace(document, end) !== document.length) throw notJson();
  for (const name of walk.names) names.push(name);
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
  const first = bytes[at];
  if (first === 0x7b || first === 0x5b) return walkContainer(bytes, at, place, walk);
  if (first === QUOTE) {
    const end = stringEnd(bytes, at);
    walk.visit({ start: at + 1, end: end - 1 }, place);
    return end;
  }
  let end = at;
  while (isOfLiteral(bytes[end])) end++;
  if (!LITERAL.test(decodeLatin1(bytes.subarray(at, end)))) throw notJson();
  walk.visit({ start: at, end }, place);
  return end;
}

function walkContainer(bytes: Uint8Array, start: number, { matcher, path, depth }: Place, walk: Walk): number {
  const isObject = bytes[start] === 0x7b;
  const close = isObject ? 0x7d : 0x5d;
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === close) return at + 1;
  for (let index = 0; ; index++) {
    let child: Place;
    if (isObject) {
      if (bytes[at] !== QUOTE) throw notJson();
      const nameEnd = stringEnd(bytes, at);
      walk.names.push({ start: at + 1, end: nameEnd - 1 });
      const name = scalarText(bytes, { start: at + 1, end: nameEnd - 1 });
      child = { matcher: matcher.member(name), path: pathBelow(path, name), depth: depth + 1 };
      at = skipSpace(bytes, nameEnd);
      if (bytes[at] !== COLON) throw notJson();
      at = skipSpace(bytes, at + 1);
    } else {
      child = { matcher: matcher.element(index), path: shortened(`${path}[${index}]`), depth: depth + 1 };
    }
    at = skipSpace(bytes, walkValue(bytes, at, child, walk));
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== COMMA) throw notJson();
    at = skipSpace(bytes, at + 1);
  }
}

function pathBelow(path: string, name: string): string {
  return path === '' ? shortened(name) : shortened(`${path}.${shortened(name)}`);
}

function shortened(path: string): string {
  return path.length > MAX_PATH ? path.slice(0, MAX_PATH) : path;
}

/** Offset behind the closing quote. Only what JSON allows may be before it. */
function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) throw notJson();
    if (byte !== BACKSLASH) continue;
    at += 1;
    const escaped = String.fromCharCode(bytes[at] ?? 0);
    if (escaped === 'u') {
      if (!/^[0-9A-Fa-f]{4}$/.test(decodeLatin1(bytes.subarray(at + 1, at + 5)))) throw notJson();
      at += 4;
    } else if (!'"\\/bfnrt'.includes(escaped)) throw notJson();
  }
  throw notJson();
}

const LITERAL = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** Digits, letters, signs and the point. */
function isOfLiteral(byte = 0): boolean {
  const isDigitOrSign = (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
  return isDigitOrSign || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
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

function notJson(): JsonUnreadable {
  return new JsonUnreadable('is not JSON');
}
