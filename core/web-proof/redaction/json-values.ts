import { JsonWalker, plainValue } from '../../json-reader.ts';
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
/** In UTF-8, as Latin-1. */
const BYTE_ORDER_MARK = '\xef\xbb\xbf';
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
  if (decodeUtf8(document) === null) throw new JsonUnreadable('is not UTF-8');
  // A character is a byte.
  const text = decodeLatin1(document);
  // Readers pass over one byte order mark.
  const start = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  try {
    return new ScalarFinder(document, { text: text.slice(start), start }, { root, hides, names }).find();
  } catch (error) {
    throw error instanceof SyntaxError ? new JsonUnreadable('is not JSON') : error;
  }
}

interface Selected {
  readonly root: PathMatcher;
  readonly hides: (matcher: PathMatcher) => boolean;
  readonly names: ByteRange[];
}

/** A value in the document. */
interface Place {
  readonly matcher: PathMatcher;
  readonly path: string;
}

class ScalarFinder extends JsonWalker<Place> {
  readonly #document: Uint8Array;
  /** Of the text in the document. */
  readonly #start: number;
  readonly #selected: Selected;
  readonly #found: JsonScalar[] = [];

  constructor(document: Uint8Array, { text, start }: { text: string; start: number }, selected: Selected) {
    super(text);
    this.#document = document;
    this.#start = start;
    this.#selected = selected;
  }

  find(): JsonScalar[] {
    this.walk();
    return this.#found;
  }

  protected override enter(_start: '[' | '{', around: Place | undefined, key: string | number): Place {
    if (this.depth >= MAX_DEPTH) throw new JsonUnreadable(`is nested deeper than ${MAX_DEPTH} levels`);
    return this.#placeOf(around, key);
  }

  protected override nameOf(token: string, at: number): string {
    const range = this.#rangeOf(token, at);
    this.#selected.names.push(range);
    return this.#textOf(token, range);
  }

  protected override scalar(token: string, at: number, around: Place | undefined, key: string | number): void {
    const { matcher, path } = this.#placeOf(around, key);
    const range = this.#rangeOf(token, at);
    if (!token.startsWith('"') && plainValue(token, Number) === undefined) this.fail('a value is expected');
    const text = this.#textOf(token, range);
    if (this.#selected.hides(matcher)) this.#found.push({ range, text, path });
  }

  #placeOf(around: Place | undefined, key: string | number): Place {
    if (around === undefined) return { matcher: this.#selected.root, path: '' };
    const { matcher, path } = around;
    if (typeof key === 'number') return { matcher: matcher.element(key), path: shortened(`${path}[${key}]`) };
    const name = shortened(key);
    return { matcher: matcher.member(key), path: path === '' ? name : shortened(`${path}.${name}`) };
  }

  /** Of what is in quotes, or of the whole token. */
  #rangeOf(token: string, at: number): ByteRange {
    const quotes = token.startsWith('"') ? 1 : 0;
    const start = this.#start + at + quotes;
    return { start, end: start + token.length - 2 * quotes };
  }

  /** Undoes the escapes when the token is a string. */
  #textOf(token: string, { start, end }: ByteRange): string {
    const isEscaped = token.startsWith('"') && this.unquoted(token).length !== end - start;
    const text = utf8.decode(this.#document.subarray(start, end));
    return isEscaped ? (JSON.parse(`"${text}"`) as string) : text;
  }
}

function shortened(path: string): string {
  return path.length > MAX_PATH ? path.slice(0, MAX_PATH) : path;
}
