/**
 * Reads a JSON body of which parts may be hidden: of a hidden value is known that it is there, and no more. Numbers keep
 * their own digits. One byte order mark at the start is passed over.
 *
 * Refuses ambiguous input: a repeated member of an object, hidden bytes in a name, and bytes with more than one reading as text.
 */

import { JSON_NUMBER } from '../../json-reader.ts';
import { HIDDEN_VALUE } from '../../ports/query-evaluator.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { elementPath, memberPath, ROOT_PATH, segmentsOf } from './canonical-path.ts';
import { type JournalValue, journalValueOfToken } from './journal-value.ts';

export interface JsonLimits {
  /** Largest body in bytes. */
  readonly maxBytes: number;
  /** Deepest nesting of arrays and objects. */
  readonly maxDepth: number;
  /** More scalars than this: `scalars` is undefined. */
  readonly maxScalars: number;
  /** A scalar with a longer path is neither listed nor found: no query of that length is accepted. */
  readonly maxPathLength: number;
}

export const JSON_LIMITS: JsonLimits = { maxBytes: 1_048_576, maxDepth: 64, maxScalars: 728, maxPathLength: 512 };

export interface JsonDocument {
  /** The document as JSON text, with the word `HIDDEN_VALUE` in place of every hidden value. */
  readonly text: string;
  /** The visible scalars but null at the wanted paths, however many others there are. */
  readonly wanted: ReadonlyMap<string, JournalValue>;
  /** Every visible scalar but null, by canonical path in document order; undefined when there are more than the limit. */
  readonly scalars: ReadonlyMap<string, JournalValue> | undefined;
}

/** Why a body cannot be read; for messages to the caller. */
export class UnreadableJsonError extends Error {
  override readonly name = 'UnreadableJsonError';
}

/** Without a look at what is escaped; `JSON.parse` decides on that. */
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
/** A number or a literal, or whatever is in the place of one. */
const PLAIN = /[^ \t\r\n,:{}[\]"]*/y;
/** Stands for a hidden byte; JSON never contains it raw. */
const HIDDEN = '\0';

/**
 * Reads `body`. Throws `UnreadableJsonError` naming the reason. Linear in the size of the body: some 200 ms for the largest.
 * @param wanted canonical paths whose values are looked for beyond the limit too.
 */
export function readJson(
  body: Uint8Array,
  hidden: readonly ByteRange[] = [],
  limits: JsonLimits = JSON_LIMITS,
  wanted: readonly string[] = [],
): JsonDocument {
  if (body.length > limits.maxBytes) {
    throw new UnreadableJsonError(`the body is larger than ${limits.maxBytes} bytes`);
  }
  if (body.includes(0)) throw new UnreadableJsonError('the body contains a zero byte');
  const masked = hidden.length === 0 ? body : body.slice();
  for (const { start, end } of hidden) masked.fill(0, start, end);
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true }).decode(masked);
  } catch {
    throw new UnreadableJsonError('the body is not UTF-8 text');
  }
  return new JsonReader(source, limits, treeOf(wanted, limits)).read();
}

/** What is wanted of a value and below it. Finds a wanted value without a look at its path. */
interface Wanted {
  readonly below: Map<string | number, Wanted>;
  /** The path, if the value itself is wanted. */
  path?: string;
}

function treeOf(wanted: readonly string[], { maxPathLength }: JsonLimits): Wanted {
  const root: Wanted = { below: new Map() };
  for (const path of wanted) {
    const segments = path.length <= maxPathLength ? segmentsOf(path) : undefined;
    if (segments === undefined) continue;
    let at = root;
    for (const segment of segments) {
      const next: Wanted = at.below.get(segment) ?? { below: new Map() };
      at.below.set(segment, next);
      at = next;
    }
    at.path = path;
  }
  return root;
}

/** Where a value stands. */
interface Place {
  /** Undefined when no path is needed: it is too long to be listed, or nothing is listed any more. */
  readonly path: string | undefined;
  readonly wanted: Wanted | undefined;
}

/** An array or object that is being read. */
interface Container extends Place {
  readonly end: ']' | '}';
  /** Of an object, those that were read. */
  readonly names: Set<string>;
  /** Of an array, how many were read. */
  elements: number;
}

class JsonReader {
  readonly #source: string;
  readonly #limits: JsonLimits;
  readonly #wanted: Wanted;
  readonly #found = new Map<string, JournalValue>();
  readonly #scalars = new Map<string, JournalValue>();
  readonly #open: Container[] = [];
  readonly #text: string[] = [];
  #overflow = false;
  #at = 0;

  constructor(source: string, limits: JsonLimits, wanted: Wanted) {
    this.#source = source;
    this.#limits = limits;
    this.#wanted = wanted;
  }

  read(): JsonDocument {
    this.#skipSpace();
    let place: Place | undefined = { path: ROOT_PATH, wanted: this.#wanted };
    while (place !== undefined) place = this.#value(place);
    this.#skipSpace();
    if (this.#at < this.#source.length) this.#fail('unexpected text after the document');
    return {
      text: this.#text.join(''),
      wanted: this.#found,
      scalars: this.#overflow ? undefined : this.#scalars,
    };
  }

  /** Reads a scalar, or the beginning of an array or object. Returns the place of the value that comes next. */
  #value(place: Place): Place | undefined {
    const next = this.#source[this.#at];
    if (next === '{' || next === '[') return this.#enter(place, next);
    this.#text.push(next === '"' ? this.#string(place) : this.#plain(place));
    return this.#next();
  }

  #enter(place: Place, start: '{' | '['): Place | undefined {
    const { maxDepth } = this.#limits;
    if (this.#open.length >= maxDepth) this.#fail(`it is nested deeper than ${maxDepth} levels`);
    const end = start === '{' ? '}' : ']';
    this.#at += 1;
    this.#skipSpace();
    this.#text.push(start);
    if (this.#take(end)) {
      this.#text.push(end);
      return this.#next();
    }
    const container: Container = { ...place, end, names: new Set(), elements: 0 };
    this.#open.push(container);
    return this.#childOf(container);
  }

  /** Moves past a value and past everything that ends with it. Undefined at the end of the document. */
  #next(): Place | undefined {
    for (;;) {
      const container = this.#open.at(-1);
      if (container === undefined) return undefined;
      const { end } = container;
      this.#skipSpace();
      if (this.#take(end)) {
        this.#text.push(end);
        this.#open.pop();
        continue;
      }
      if (!this.#take(',')) {
        this.#fail(`a comma or the end of the ${end === '}' ? 'object' : 'array'} is expected`);
      }
      this.#text.push(',');
      this.#skipSpace();
      return this.#childOf(container);
    }
  }

  #childOf(container: Container): Place {
    if (container.end === ']') {
      const index = container.elements;
      container.elements += 1;
      return this.#below(container, index);
    }
    return this.#below(container, this.#memberName(container));
  }

  #memberName({ names }: Container): string {
    if (this.#source[this.#at] !== '"') this.#fail('a member name is expected');
    const token = this.#stringToken();
    if (token.includes(HIDDEN)) this.#fail('a member name has hidden bytes');
    const name = this.#decodeString(token);
    if (names.has(name)) this.#fail(`the member ${JSON.stringify(name.slice(0, 64))} occurs twice in one object`);
    names.add(name);
    this.#skipSpace();
    if (!this.#take(':')) this.#fail('a colon is expected');
    this.#text.push(token);
    this.#text.push(':');
    this.#skipSpace();
    return name;
  }

  /** A path is built only as long as it may be listed: answers can have long names around many values. */
  #below({ path, wanted }: Place, segment: string | number): Place {
    const { maxPathLength } = this.#limits;
    const further = wanted?.below.get(segment);
    const isLong = typeof segment === 'string' && segment.length > maxPathLength;
    if (path === undefined || isLong || this.#overflow) return { path: undefined, wanted: further };
    const own = typeof segment === 'string' ? memberPath(path, segment) : elementPath(path, segment);
    return { path: own.length > maxPathLength ? undefined : own, wanted: further };
  }

  /** Reads a string and returns its text. */
  #string(place: Place): string {
    const token = this.#stringToken();
    if (token.includes(HIDDEN)) return HIDDEN_VALUE;
    const text = this.#decodeString(token);
    // A lone surrogate has no UTF-8 form, so no digest.
    if (text.isWellFormed()) this.#list(place, { kind: 'string', text });
    return token;
  }

  /** Reads a number or a literal and returns its text. */
  #plain(place: Place): string {
    const token = this.#plainToken();
    if (token.includes(HIDDEN)) return HIDDEN_VALUE;
    if (token === 'null') return token;
    if (token !== 'true' && token !== 'false' && !JSON_NUMBER.test(token)) this.#fail('a value is expected');
    this.#list(place, journalValueOfToken(token));
    return token;
  }

  /** The string at the cursor with its quotes and escapes. */
  #stringToken(): string {
    STRING.lastIndex = this.#at;
    const [token] = STRING.exec(this.#source) ?? [];
    if (token === undefined) return this.#fail('a string does not end');
    this.#at += token.length;
    return token;
  }

  #decodeString(token: string): string {
    try {
      return JSON.parse(token) as string;
    } catch {
      return this.#fail('a string is malformed');
    }
  }

  #plainToken(): string {
    PLAIN.lastIndex = this.#at;
    const [token = ''] = PLAIN.exec(this.#source) ?? [];
    this.#at += token.length;
    return token;
  }

  #list({ path, wanted }: Place, value: JournalValue): void {
    if (wanted?.path !== undefined) this.#found.set(wanted.path, value);
    if (this.#overflow || path === undefined) return;
    if (this.#scalars.size >= this.#limits.maxScalars) this.#overflow = true;
    else this.#scalars.set(path, value);
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#source.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #fail(reason: string): never {
    throw new UnreadableJsonError(`${reason}, at character ${this.#at}`);
  }
}
