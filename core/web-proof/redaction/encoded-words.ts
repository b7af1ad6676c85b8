/** What the words of a text say that are Base64, hex or lists of bytes. Texts are Latin-1 renderings of bytes. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { atOnce, type Steps } from '../attested-values/steps.ts';
import { decodeLatin1 } from '../http/text.ts';
import { TextBuilder } from '../text-builder.ts';
import { unescapingSteps } from './text-forms.ts';
import { changing, charactersIn, exchanged, matchesOf, type Pattern, PIECE, replacing, runsOf } from './text-scan.ts';

/** Base64 of base64, hex of hex: decoded this many times. */
const MAX_NESTED = 3;

/** What the Base64 and hex words of a text say, as far as that is text. Finds short values, and JSON inside tokens. */
export function decodedWords(text: string): string {
  return atOnce(decodingSteps(text));
}

/** `decodedWords` in steps. */
export function* decodingSteps(text: string): Steps<string> {
  const found: string[] = [];
  let current = text;
  for (let depth = 0; depth < MAX_NESTED && current !== ''; depth++) {
    const readings = yield* unescapingSteps(yield* decodedOnce(current));
    current = readings.at(-1) ?? '';
    found.push(current);
  }
  return found.join('\0');
}

/** Mails and certificates break Base64 into lines. */
const LINE_BREAK: Pattern = {
  pattern: /\r?\n(?<=[A-Za-z0-9+/]{60}\r?\n)(?=[A-Za-z0-9+/])/g,
  reach: 3,
  back: 62,
};
const BASE64_WORD = charactersIn(/[A-Za-z0-9+/_-]/);
const ALPHANUMERIC = charactersIn(/[A-Za-z0-9]/);

/** A list that may be long: its beginning with at least four entries, and more of the same behind it. */
interface List {
  readonly start: Pattern;
  readonly rest: RegExp;
}

/** An entry has at most 140 characters, and a part of a list 128 entries and one. */
const REACH = 130 * 140;

const HEX_PAIRS: List = {
  start: {
    pattern:
      /(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{2}(?:(?:[-:,]{1,2}\s{0,128}|\s{1,128}[-:,]?)(?:0x)?[0-9A-Fa-f]{2}){3,128}(?![0-9A-Za-z])/g,
    reach: REACH,
    back: 1,
  },
  rest: /(?:(?:[-:,]{1,2}\s{0,128}|\s{1,128}[-:,]?)(?:0x)?[0-9A-Fa-f]{2}){1,128}(?![0-9A-Za-z])/y,
};
/** As JSON writes a buffer, with line breaks or without. */
const BYTE_LIST: List = {
  start: {
    pattern: /(?<![0-9A-Za-z.])\d{1,3}(?:,\s{0,128}\d{1,3}){3,128}(?![0-9A-Za-z.])/g,
    reach: REACH,
    back: 1,
  },
  rest: /(?:,\s{0,128}\d{1,3}){1,128}(?![0-9A-Za-z.])/y,
};

/** As many words as take a tenth of a millisecond. */
const WORDS_PER_STEP = 64;

function* decodedOnce(text: string): Steps<string> {
  const found = new DecodedTexts();
  const joined = yield* replacing(text, LINE_BREAK, () => '');
  for (const range of runsOf(joined, BASE64_WORD, 6)) {
    if (range === null) yield;
    else yield* found.addWord(joined.slice(range.start, range.end));
  }
  for (const pairs of listsIn(text, HEX_PAIRS)) {
    if (pairs === null) yield;
    else yield* found.add(fromPairs(pairs));
  }
  for (const list of listsIn(text, BYTE_LIST)) {
    if (list === null) yield;
    else yield* found.add(fromList(list));
  }
  return found.text.toString();
}

/** The lists in a text, each in parts; null where other work may come in. */
function* listsIn(text: string, { start, rest }: List): Generator<string[] | null, void> {
  let from = 0;
  for (;;) {
    let list: { parts: string[]; end: number } | undefined;
    for (const found of matchesOf(text, start, from)) {
      if (found === null) {
        yield null;
        continue;
      }
      const { match, end } = found;
      const more = nextPart(text, rest, end);
      if (more === undefined) {
        yield [match[0]];
        continue;
      }
      list = { parts: [match[0], more], end: end + more.length };
      break;
    }
    if (list === undefined) return;
    for (let more = nextPart(text, rest, list.end); more !== undefined; more = nextPart(text, rest, list.end)) {
      yield null;
      list.parts.push(more);
      list.end += more.length;
    }
    yield list.parts;
    from = list.end;
  }
}

function nextPart(text: string, rest: RegExp, at: number): string | undefined {
  rest.lastIndex = at;
  return rest.exec(text)?.[0];
}

/** What is decoded, as far as that is text. */
class DecodedTexts {
  readonly text = new TextBuilder();
  #read = 0;

  *addWord(word: string): Steps<void> {
    yield* this.#addAsIs(word);
    // A slash or a hyphen may also part two words.
    if (!/[^A-Za-z0-9]/.test(word)) return;
    for (const range of runsOf(word, ALPHANUMERIC, 6)) {
      if (range !== null) yield* this.#addAsIs(word.slice(range.start, range.end));
      else if (word.length > PIECE) yield;
    }
  }

  *#addAsIs(word: string): Steps<void> {
    yield* this.add(base64Decoding(word));
    yield* this.add(hexDecoding(word.replace(/^0[xX]/, '')));
  }

  *add(decoding: Steps<string | null>): Steps<void> {
    this.#read += 1;
    if (this.#read % WORDS_PER_STEP === 0) yield;
    const decoded = yield* decoding;
    const shown = decoded === null ? null : yield* asText(decoded);
    if (shown === null) return;
    this.text.add(shown);
    this.text.add('\0');
  }
}

function* fromPairs(parts: readonly string[]): Steps<string> {
  const decoded = new TextBuilder();
  for (const part of parts) {
    if (parts.length > 1) yield;
    decoded.add(decodeLatin1(hexToBytes(part.replace(/0x|[-:,\s]/g, ''))));
  }
  return decoded.toString();
}

/** The bytes of a list of numbers; null if it has greater ones. */
function* fromList(parts: readonly string[]): Steps<string | null> {
  const decoded = new TextBuilder();
  for (const part of parts) {
    if (parts.length > 1) yield;
    const numbers = Array.from(part.matchAll(/\d+/g), ([digits]) => Number(digits));
    if (numbers.some((number) => number > 0xff)) return null;
    decoded.add(String.fromCharCode(...numbers));
  }
  return decoded.toString();
}

/** What a Base64 word of either alphabet, without padding, says; null when it is too short or cut. */
export function fromBase64(word: string): string | null {
  if (word.length < 6 || word.length % 4 === 1) return null;
  return atob(exchanged(exchanged(word, '-', '+'), '_', '/'));
}

/** `fromBase64` in steps. */
function* base64Decoding(word: string): Steps<string | null> {
  if (word.length <= PIECE) return fromBase64(word);
  if (word.length % 4 === 1) return null;
  return yield* changing(word, (piece) => atob(exchanged(exchanged(piece, '-', '+'), '_', '/')));
}

function* hexDecoding(word: string): Steps<string | null> {
  const isHex = word.length >= 8 && word.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(word);
  return isHex ? yield* changing(word, (piece) => decodeLatin1(hexToBytes(piece))) : null;
}

/** The text that bytes are: UTF-8, or UTF-16 of ASCII, without control characters but white space; null for other bytes. */
function* asText(decoded: string): Steps<string | null> {
  if (yield* isText(decoded)) return decoded;
  if (decoded.length % 2 !== 0 || !decoded.includes('\0')) return null;
  const narrow = yield* changing(decoded, (piece) => exchanged(piece, '\0', ''));
  return narrow.length * 2 === decoded.length && (yield* isText(narrow)) ? narrow : null;
}

/** No decoder: one that refuses takes longer, and most words are refused. */
function* isText(decoded: string): Steps<boolean> {
  /** Bytes that the character begun has yet to have. */
  let missing = 0;
  for (let at = 0; at < decoded.length; at++) {
    if (at % PIECE === PIECE - 1) yield;
    const code = decoded.charCodeAt(at);
    const isContinuation = code >= 0x80 && code < 0xc0;
    if (isContinuation !== missing > 0) return false;
    if (isContinuation) missing -= 1;
    else if (code >= 0xc2 && code < 0xf5) missing = code < 0xe0 ? 1 : code < 0xf0 ? 2 : 3;
    else if (code >= 0x7f || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)) return false;
  }
  return missing === 0;
}
