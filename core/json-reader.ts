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

/** Without a look at what is escaped; `JSON.parse` decides on that. */
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
/** A number or a word, or whatever is in the place of one. */
const PLAIN = /[^ \t\r\n,:{}[\]"]*/y;
const SPACE = /[ \t\r\n]*/y;
/** What a string cannot be taken for as it stands: escapes, and control characters. */
const NOT_LITERAL = /[\\\p{Cc}]/u;
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
  return new ValueReader(text, parts).read();
}

/** An array or object that is being read. */
interface Open<Node> {
  readonly node: Node;
  /** Of the value at hand: an index or a name. */
  key: string | number;
}

/**
 * Goes through JSON text, however deep it is nested, in linear time. Subclasses are told its parts in their order. Each value comes
 * with what they made of the array or object around it, and with its key there; the document itself has neither.
 */
export abstract class JsonWalker<Node> {
  readonly #text: string;
  readonly #open: Open<Node>[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** How many arrays and objects are around the value at hand. */
  protected get depth(): number {
    return this.#open.length;
  }

  /** An array or object begins: what is to stand for it. */
  protected abstract enter(start: '[' | '{', around: Node | undefined, key: string | number): Node;
  /** A string with its quotes, a number or a word, or whatever is in the place of one. */
  protected abstract scalar(token: string, at: number, around: Node | undefined, key: string | number): void;

  /** The name of the member that follows, from its token with quotes. */
  protected nameOf(token: string, _at: number, _object: Node): string {
    return this.unquoted(token);
  }

  /** @throws SyntaxError if the text is not one document. */
  protected walk(): void {
    const ends: (']' | '}')[] = [];
    this.#skipSpace();
    do {
      const start = this.#text[this.#at];
      const last = this.#open.at(-1);
      const key = last?.key ?? 0;
      if (typeof last?.key === 'number') last.key += 1;
      if (start === '[' || start === '{') {
        this.#open.push({ node: this.enter(start, last?.node, key), key: start === '[' ? 0 : '' });
        this.#at += 1;
        const end = start === '[' ? ']' : '}';
        ends.push(end);
        this.#skipSpace();
        if (this.#text[this.#at] !== end) {
          if (end === '}') this.#name();
          continue;
        }
      } else {
        const at = this.#at;
        this.scalar(start === '"' ? this.#string() : this.#token(PLAIN), at, last?.node, key);
      }
      this.#next(ends);
    } while (ends.length > 0);
    if (this.#at < this.#text.length) this.fail('unexpected text after the document');
  }

  /** The text of a string with its escapes undone. */
  protected unquoted(token: string): string {
    if (!NOT_LITERAL.test(token)) return token.slice(1, -1);
    try {
      return JSON.parse(token) as string;
    } catch {
      return this.fail('a string is malformed');
    }
  }

  protected fail(reason: string): never {
    throw new SyntaxError(`${reason}, at character ${this.#at}`);
  }

  /** Moves past everything that ends here, to the next value. */
  #next(ends: (']' | '}')[]): void {
    for (let end = ends.at(-1); ; end = ends.at(-1)) {
      this.#skipSpace();
      if (end === undefined) return;
      if (this.#take(end)) {
        ends.pop();
        this.#open.pop();
        continue;
      }
      if (!this.#take(',')) {
        this.fail(`a comma or the end of the ${end === '}' ? 'object' : 'array'} is expected`);
      }
      this.#skipSpace();
      if (end === '}') this.#name();
      return;
    }
  }

  #name(): void {
    if (this.#text[this.#at] !== '"') this.fail('a member name is expected');
    const at = this.#at;
    const object = this.#open.at(-1);
    const token = this.#string();
    if (object !== undefined) object.key = this.nameOf(token, at, object.node);
    this.#skipSpace();
    if (!this.#take(':')) this.fail('a colon is expected');
    this.#skipSpace();
  }

  #string(): string {
    const token = this.#token(STRING);
    return token === '' ? this.fail('a string does not end') : token;
  }

  #token(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [token = ''] = pattern.exec(this.#text) ?? [];
    this.#at += token.length;
    return token;
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
}

class ValueReader extends JsonWalker<object> {
  readonly #parts: JsonParts;
  #root: unknown;

  constructor(text: string, parts: JsonParts) {
    super(text);
    this.#parts = parts;
  }

  read(): unknown {
    this.walk();
    return this.#root;
  }

  protected override enter(start: '[' | '{', around: object | undefined, key: string | number): object {
    const container = start === '[' ? [] : this.#parts.object();
    this.#put(around, key, container);
    return container;
  }

  protected override scalar(token: string, _at: number, around: object | undefined, key: string | number): void {
    const value = token.startsWith('"') ? this.unquoted(token) : this.#parts.plain(token);
    if (value === undefined) this.fail('a value is expected');
    this.#put(around, key, value);
  }

  #put(around: object | undefined, key: string | number, value: unknown): void {
    if (around === undefined) this.#root = value;
    else this.#parts.put(around, key, value);
  }
}
