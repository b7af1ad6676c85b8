/**
 * Reads JSON text from outside. The `JSON.parse` of Node 24 takes a member name with an escape for another name, if its thread has
 * read certain other documents before (https://github.com/nodejs/node/issues/63785). A stranger could so change what others read.
 * Single strings, and documents without a backslash, it reads well.
 */

/** What is made of the parts of a document. */
export interface JsonParts {
  /** An object without members. */
  object(): object;
  /** A number or a word, as it is written; undefined for a word that has no meaning. */
  plain(token: string): unknown;
  /** Puts a member or an element into its object or array. Of two members with one name the last counts. */
  put(container: object, key: string | number, value: unknown): void;
}

/** The syntax of a number in JSON. */
export const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_CHARACTER = 0x20;
/** A number or a word, or whatever is in the place of one. */
const PLAIN = /[^ \t\r\n,:{}[\]"]*/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** The value of JSON text, as `JSON.parse` should give it. @throws SyntaxError */
export function parseJson(text: string): unknown {
  return text.includes('\\') ? readJsonText(text, PLAIN_PARTS) : JSON.parse(text);
}

/** The value of one of the three words of JSON, or of a number by its source; undefined for other text. */
export function plainValue<T>(token: string, number: (source: string) => T): unknown {
  return JSON_NUMBER.test(token) ? number(token) : WORDS.get(token);
}

const PLAIN_PARTS: JsonParts = {
  object: () => ({}),
  plain: (token) => plainValue(token, Number),
  put(container, key, value) {
    // An assignment would change the prototype.
    if (key === '__proto__') {
      Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
    } else (container as Record<string | number, unknown>)[key] = value;
  },
};

/** Reads JSON text, however deep it is nested, in linear time. @throws SyntaxError */
export function readJsonText(text: string, parts: JsonParts): unknown {
  return new TextReader(text, parts).read();
}

/** An array or object that is being read. */
interface Open {
  readonly container: object;
  readonly end: ']' | '}';
  /** Of the value at hand. */
  key: string | number;
}

class TextReader {
  readonly #text: string;
  readonly #parts: JsonParts;
  #at = 0;

  constructor(text: string, parts: JsonParts) {
    this.#text = text;
    this.#parts = parts;
  }

  read(): unknown {
    const root: unknown[] = [];
    const open: Open[] = [];
    this.#skipSpace();
    do {
      const { container, key } = open.at(-1) ?? { container: root, key: 0 };
      const begun = this.#enter();
      if (begun === null) {
        this.#parts.put(container, key, this.#text[this.#at] === '"' ? this.#string() : this.#plain());
      } else {
        this.#parts.put(container, key, begun.container);
        this.#skipSpace();
        if (!this.#take(begun.end)) {
          if (begun.end === '}') begun.key = this.#name();
          open.push(begun);
          continue;
        }
      }
      this.#leave(open);
    } while (open.length > 0);
    if (this.#at < this.#text.length) this.#fail('unexpected text after the document');
    return root[0];
  }

  /** The array or object that begins at the cursor; null if another value does. */
  #enter(): Open | null {
    if (this.#take('{')) return { container: this.#parts.object(), end: '}', key: '' };
    return this.#take('[') ? { container: [], end: ']', key: 0 } : null;
  }

  /** Moves past everything that ends with the value at hand, to the next value. */
  #leave(open: Open[]): void {
    for (;;) {
      this.#skipSpace();
      const last = open.at(-1);
      if (last === undefined) return;
      if (this.#take(last.end)) {
        open.pop();
        continue;
      }
      if (!this.#take(',')) this.#fail('a comma or the end of an array or object is expected');
      this.#skipSpace();
      last.key = typeof last.key === 'number' ? last.key + 1 : this.#name();
      return;
    }
  }

  #name(): string {
    if (this.#text[this.#at] !== '"') this.#fail('a member name is expected');
    const name = this.#string();
    this.#skipSpace();
    if (!this.#take(':')) this.#fail('a colon is expected');
    this.#skipSpace();
    return name;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let isEscaped = false;
    for (let at = start + 1; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return isEscaped ? this.#unescape(start) : text.slice(start + 1, at);
      }
      // At the end of the text there is no code.
      if (!(code >= FIRST_CHARACTER)) this.#fail('a string is malformed or does not end');
      if (code !== BACKSLASH) continue;
      isEscaped = true;
      at += 1;
    }
  }

  #unescape(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      return this.#fail('a string is malformed');
    }
  }

  #plain(): unknown {
    PLAIN.lastIndex = this.#at;
    const [token = ''] = PLAIN.exec(this.#text) ?? [];
    const value = this.#parts.plain(token);
    if (value === undefined) this.#fail('a value is expected');
    this.#at += token.length;
    return value;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #fail(reason: string): never {
    throw new SyntaxError(`${reason}, at character ${this.#at}`);
  }
}
