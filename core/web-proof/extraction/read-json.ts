/**
 * Reads a JSON body of which parts may be hidden: of a hidden value is known that it is there, and no more. Numbers keep
 * their own digits. One byte order mark at the start is passed over.
 *
 * Refuses ambiguous input: a repeated member of an object, hidden bytes in a name, and bytes with more than one reading as text.
 */

import { JSON_NUMBER, JsonWalker } from '../../json-reader.ts';
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
  try {
    return new BodyReader(source, limits, wanted).read();
  } catch (error) {
    throw error instanceof SyntaxError ? new UnreadableJsonError(error.message) : error;
  }
}

/** An array or object that is being read. */
interface Container {
  /** Undefined when it is too long to be listed, and so is what is below it. */
  readonly path: string | undefined;
  /** Of an object, those that were read. */
  readonly names: Set<string>;
}

class BodyReader extends JsonWalker<Container> {
  readonly #source: string;
  readonly #limits: JsonLimits;
  readonly #wanted: ReadonlySet<string>;
  /** Most paths are of another length, and few are looked up. */
  readonly #wantedLengths: ReadonlySet<number>;
  readonly #found = new Map<string, JournalValue>();
  readonly #scalars = new Map<string, JournalValue>();
  #text = '';
  /** How far the source is in the text. */
  #copied = 0;
  #overflow = false;

  constructor(source: string, limits: JsonLimits, wanted: readonly string[]) {
    super(source);
    this.#source = source;
    this.#limits = limits;
    this.#wanted = new Set(wanted);
    this.#wantedLengths = new Set(wanted.map(({ length }) => length));
  }

  read(): JsonDocument {
    this.walk();
    return {
      text: this.#text + this.#source.slice(this.#copied),
      wanted: this.#found,
      scalars: this.#overflow ? undefined : this.#scalars,
    };
  }

  protected override enter(_start: '[' | '{', around: Container | undefined, key: string | number): Container {
    const { maxDepth } = this.#limits;
    if (this.depth >= maxDepth) this.fail(`it is nested deeper than ${maxDepth} levels`);
    return { path: this.#pathOf(around, key), names: new Set() };
  }

  protected override nameOf(token: string, _at: number, { names }: Container): string {
    if (token.includes(HIDDEN)) this.fail('a member name has hidden bytes');
    const name = this.unquoted(token);
    if (names.has(name)) this.fail(`the member ${JSON.stringify(name.slice(0, 64))} occurs twice in one object`);
    names.add(name);
    return name;
  }

  protected override scalar(token: string, at: number, around: Container | undefined, key: string | number): void {
    const path = this.#pathOf(around, key);
    if (token.includes(HIDDEN)) {
      this.#text += this.#source.slice(this.#copied, at) + HIDDEN_VALUE;
      this.#copied = at + token.length;
    } else if (token.startsWith('"')) {
      const text = this.unquoted(token);
      // A lone surrogate has no UTF-8 form, so no digest.
      if (text.isWellFormed()) this.#list(path, { kind: 'string', text });
    } else if (token !== 'null') {
      if (token !== 'true' && token !== 'false' && !JSON_NUMBER.test(token)) this.fail('a value is expected');
      this.#list(path, journalValueOfToken(token));
    }
  }

  /** The path of a value. Answers can have long names around many values: it is built up to the limit only. */
  #pathOf(around: Container | undefined, key: string | number): string | undefined {
    if (around === undefined) return ROOT_PATH;
    const { path } = around;
    const { maxPathLength } = this.#limits;
    if (typeof key === 'string' && key.length > maxPathLength) return undefined;
    if (path === undefined || (this.#overflow && this.#wanted.size === 0)) return undefined;
    const own = typeof key === 'number' ? elementPath(path, key) : memberPath(path, key);
    return own.length > maxPathLength ? undefined : own;
  }

  #list(path: string | undefined, value: JournalValue): void {
    if (path === undefined) return;
    if (this.#wantedLengths.has(path.length) && this.#wanted.has(path)) this.#found.set(path, value);
    if (this.#overflow) return;
    if (this.#scalars.size >= this.#limits.maxScalars) this.#overflow = true;
    else this.#scalars.set(path, value);
  }
}
