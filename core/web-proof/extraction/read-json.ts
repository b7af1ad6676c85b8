/**
 * Reads a JSON body of which parts may be hidden: of a hidden value is known that it is there, and no more. Numbers keep
 * their own digits. One byte order mark at the start is passed over.
 *
 * Refuses ambiguous input: a repeated member of an object, hidden bytes in a name, and bytes with more than one reading as text.
 */

import { HIDDEN_VALUE } from '../../ports/query-evaluator.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { elementPath, memberPath, ROOT_PATH } from './canonical-path.ts';
import { type JournalValue, journalValueOfToken } from './journal-value.ts';

export interface JsonLimits {
  /** Largest body in bytes. */
  readonly maxBytes: number;
  /** Deepest nesting of arrays and objects. */
  readonly maxDepth: number;
  /** More scalars than this: `scalars` is undefined. */
  readonly maxScalars: number;
  /** A scalar with a longer path is not listed: no query of that length is accepted. */
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

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Without a look at what is escaped; `JSON.parse` decides on that. */
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
/** A number or a literal, or whatever is in the place of one. */
const PLAIN = /[^ \t\r\n,:{}[\]"]*/y;
/** Stands for a hidden byte; JSON never contains it raw. */
const HIDDEN = '\0';

/**
 * Reads `body`. Throws `UnreadableJsonError` naming the reason. Linear in the size of the body.
 * @param wanted paths whose values are looked for beyond the limit too.
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
  return new JsonReader(source, limits, new Set(wanted)).document();
}

class JsonReader {
  readonly #source: string;
  readonly #limits: JsonLimits;
  readonly #wanted: ReadonlySet<string>;
  readonly #found = new Map<string, JournalValue>();
  readonly #scalars = new Map<string, JournalValue>();
  #overflow = false;
  #at = 0;

  constructor(source: string, limits: JsonLimits, wanted: ReadonlySet<string>) {
    this.#source = source;
    this.#limits = limits;
    this.#wanted = wanted;
  }

  document(): JsonDocument {
    this.#skipSpace();
    const text = this.#value(ROOT_PATH, 0);
    this.#skipSpace();
    if (this.#at < this.#source.length) this.#fail('unexpected text after the document');
    return { text, wanted: this.#found, scalars: this.#overflow ? undefined : this.#scalars };
  }

  /** Reads a value and returns its text. */
  #value(path: string, depth: number): string {
    const next = this.#source[this.#at];
    if (next === '{') return this.#object(path, depth + 1);
    if (next === '[') return this.#array(path, depth + 1);
    if (next === '"') {
      const token = this.#stringToken();
      if (token.includes(HIDDEN)) return HIDDEN_VALUE;
      const text = this.#decodeString(token);
      // A lone surrogate has no UTF-8 form, so no digest.
      if (text.isWellFormed()) this.#list(path, { kind: 'string', text });
      return token;
    }
    const token = this.#plainToken();
    if (token.includes(HIDDEN)) return HIDDEN_VALUE;
    if (token === 'null') return token;
    if (token !== 'true' && token !== 'false' && !NUMBER.test(token)) this.#fail('a value is expected');
    this.#list(path, journalValueOfToken(token));
    return token;
  }

  #object(path: string, depth: number): string {
    this.#checkDepth(depth);
    const names = new Set<string>();
    const members: string[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#take('}')) return '{}';
    for (;;) {
      if (this.#source[this.#at] !== '"') this.#fail('a member name is expected');
      const token = this.#stringToken();
      if (token.includes(HIDDEN)) this.#fail('a member name has hidden bytes');
      const name = this.#decodeString(token);
      if (names.has(name)) this.#fail(`the member ${JSON.stringify(name.slice(0, 64))} occurs twice in one object`);
      names.add(name);
      this.#skipSpace();
      if (!this.#take(':')) this.#fail('a colon is expected');
      this.#skipSpace();
      members.push(`${token}:${this.#value(memberPath(path, name), depth)}`);
      this.#skipSpace();
      if (this.#take('}')) return `{${members.join(',')}}`;
      if (!this.#take(',')) this.#fail('a comma or the end of the object is expected');
      this.#skipSpace();
    }
  }

  #array(path: string, depth: number): string {
    this.#checkDepth(depth);
    const elements: string[] = [];
    this.#at += 1;
    this.#skipSpace();
    if (this.#take(']')) return '[]';
    for (;;) {
      elements.push(this.#value(elementPath(path, elements.length), depth));
      this.#skipSpace();
      if (this.#take(']')) return `[${elements.join(',')}]`;
      if (!this.#take(',')) this.#fail('a comma or the end of the array is expected');
      this.#skipSpace();
    }
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

  #list(path: string, value: JournalValue): void {
    if (this.#wanted.has(path)) this.#found.set(path, value);
    if (this.#overflow || path.length > this.#limits.maxPathLength) return;
    if (this.#scalars.size >= this.#limits.maxScalars) this.#overflow = true;
    else this.#scalars.set(path, value);
  }

  #checkDepth(depth: number): void {
    if (depth > this.#limits.maxDepth) this.#fail(`it is nested deeper than ${this.#limits.maxDepth} levels`);
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
