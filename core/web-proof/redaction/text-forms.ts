/**
 * The forms in which servers repeat what they were sent. Texts are Latin-1 renderings of bytes: comparing those finds byte
 * sequences, whatever they mean.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import { atOnce, type Steps } from '../attested-values/steps.ts';
import { decodeLatin1, decodeUtf8 } from '../http/text.ts';
import { ENTITIES } from './html-entities.ts';

const encoder = new TextEncoder();

/** Nested escapes are undone this many times. */
const MAX_ROUNDS = 4;

/** The bytes that a text may be on the wire: UTF-8, and Latin-1 if it can be that. */
export function encodings(text: string): Uint8Array[] {
  const utf8 = encoder.encode(text);
  const latin1 = latin1Bytes(text);
  return utf8.length > latin1.length && decodeLatin1(latin1) === text ? [utf8, latin1] : [utf8];
}

/** Bytes from their Latin-1 rendering. */
export function latin1Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** A letter and the accents that stand behind it. */
const DECOMPOSED = /[A-Za-z](?:\xcc[\x80-\xbf]|\xcd[\x80-\xaf])+/g;

const CASED = /[A-Z]+|[\x80-\xff]+/g;

/** The text in small letters, those outside ASCII too, and letters with their accents as one character. */
export function withoutCase(text: string): string {
  return atOnce(caseSteps(text));
}

/** `withoutCase` in steps. */
export function* caseSteps(text: string): Steps<string> {
  const composed = yield* replacing(text, DECOMPOSED, ([letter]) =>
    utf8Characters((decodeUtf8(latin1Bytes(letter)) ?? '').normalize('NFC')),
  );
  return yield* replacing(composed, CASED, ([run]) => {
    if (run.charCodeAt(0) < 0x80) return run.toLowerCase();
    const letters = decodeUtf8(latin1Bytes(run));
    return letters === null ? run.toLowerCase() : utf8Characters(letters.toLowerCase());
  });
}

/** As many matches as take a tenth of a millisecond. */
const MATCHES_PER_STEP = 64;

/** `text.replace` in steps: a text may be made of matches. */
function* replacing(text: string, pattern: RegExp, by: (match: RegExpExecArray) => string): Steps<string> {
  let replaced = '';
  let parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(from, match.index), by(match));
    from = match.index + match[0].length;
    if (parts.length < 2 * MATCHES_PER_STEP) continue;
    replaced += parts.join('');
    parts = [];
    yield;
  }
  return from === 0 ? text : replaced + parts.join('') + text.slice(from);
}

/**
 * The text as it is, and with percent escapes, JSON escapes and HTML entities undone, one after the other, until nothing changes.
 * The last one does not depend on how often a text was escaped, so a value and its echo become the same. The ones between are
 * needed where the end of an echo and what follows it look like an escape.
 */
export function unescapings(text: string): string[] {
  return atOnce(unescapingSteps(text));
}

/** `unescapings` in steps. */
export function* unescapingSteps(text: string): Steps<string[]> {
  const texts = new Set([text]);
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current;
    for (const undo of [undoPercent, undoJsonEscapes, undoEntities]) {
      current = yield* undo(current);
      texts.add(current);
      yield;
    }
    if (current === before) break;
  }
  return [...texts];
}

/** Characters of one byte with a zero byte, or three, before or behind each. */
const WIDE = /(?:[^\0]\0(?:\0\0)?){3,}[^\0]?/g;

/**
 * The text without the zero bytes of UTF-16 and UTF-32, for characters up to U+00FF. A hidden byte is zero too: visible bytes
 * between single hidden ones are read as one word. That can only refuse more.
 */
export function* undoWide(text: string): Steps<string> {
  if (!text.includes('\0')) return text;
  return yield* replacing(text, WIDE, ([run]) => run.replaceAll('\0', ''));
}

/** A text with its spaces written as forms write them, or not: both become the same. */
export function withSpaces(text: string): string {
  return text.replaceAll('+', ' ');
}

function* undoPercent(text: string): Steps<string> {
  if (!text.includes('%')) return text;
  const narrow = yield* replacing(text, /(?:%u[0-9A-Fa-f]{4})+/g, ([run]) => fromUtf16Run(run));
  return yield* replacing(narrow, /%([0-9A-Fa-f]{2})/g, ([, hex = '']) => byteOf(hex, 16));
}

/** Text in mails: bytes beyond ASCII as `=C5=82`. Elsewhere an equals sign is one, so this is a reading of its own. */
export function* undoQuotedPrintable(text: string): Steps<string> {
  if (!/=[0-9A-F]{2}=[0-9A-F]{2}/.test(text)) return text;
  return yield* replacing(text, /=([0-9A-F]{2})/g, ([, hex = '']) => byteOf(hex, 16));
}

function byteOf(digits: string, base: number): string {
  return String.fromCharCode(Number.parseInt(digits, base));
}

/** A run of `\\u0041` or `%u0041`; runs are taken together so that surrogate pairs become one character. */
function fromUtf16Run(run: string): string {
  let text = '';
  for (let at = 2; at < run.length; at += 6) text += byteOf(run.slice(at, at + 4), 16);
  return utf8Characters(text);
}

/** Null beyond the last character. */
function characterOf(digits: string, base: number): string | null {
  const point = Number.parseInt(digits, base);
  return point <= 0x10ffff ? utf8Characters(String.fromCodePoint(point)) : null;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const JSON_ESCAPE =
  /((?:\\u[0-9A-Fa-f]{4})+)|\\(?:u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8}))|\\x([0-9A-Fa-f]{2})|\\([0-3][0-7]{2})|\\([^ux])/g;

function* undoJsonEscapes(text: string): Steps<string> {
  if (!text.includes('\\')) return text;
  return yield* replacing(text, JSON_ESCAPE, ([match, run, braced, long, hex, octal, short]) => {
    if (run !== undefined) return fromUtf16Run(run);
    // Of a character of Latin-1, or of a byte of UTF-8.
    if (hex !== undefined) return byteOf(hex, 16);
    if (octal !== undefined) return byteOf(octal, 8);
    const point = braced ?? long;
    if (point !== undefined) return characterOf(point, 16) ?? match;
    return SHORT_ESCAPES[short ?? ''] ?? short ?? match;
  });
}

const ENTITY = /&(?:#[xX]0*([0-9A-Fa-f]{1,6});?|#0*(\d{1,7});?|([A-Za-z]{2,6});)/g;

function* undoEntities(text: string): Steps<string> {
  if (!text.includes('&')) return text;
  return yield* replacing(text, ENTITY, ([match, hex, decimal, name = '']) => {
    if (hex !== undefined) return characterOf(hex, 16) ?? match;
    if (decimal !== undefined) return characterOf(decimal, 10) ?? match;
    const character = ENTITIES.get(name);
    return character === undefined ? match : utf8Characters(character);
  });
}

/**
 * Base64 of the bytes wherever they start within a longer encoded text: the characters at either end depend on the
 * neighbours and are left out. Both alphabets.
 */
export function base64Forms(bytes: Uint8Array): string[] {
  const forms = [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const whole = btoa(decodeLatin1(padded)).replaceAll('=', '');
    const tail = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    return whole.slice(Math.ceil((shift * 4) / 3), whole.length - tail);
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

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
const LINE_BREAK = /\r?\n(?<=[A-Za-z0-9+/]{60}\r?\n)(?=[A-Za-z0-9+/])/g;
const HEX_PAIRS =
  /(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{2}(?:(?:[-:,]{1,2}\s*|\s+[-:,]?)(?:0x)?[0-9A-Fa-f]{2}){3,}(?![0-9A-Za-z])/g;
/** As JSON writes a buffer, with line breaks or without. */
const BYTE_LIST = /(?<![0-9A-Za-z.])\d{1,3}(?:,\s*\d{1,3}){3,}(?![0-9A-Za-z.])/g;

/** As many words as take a tenth of a millisecond. */
const WORDS_PER_STEP = 64;

function* decodedOnce(text: string): Steps<string> {
  const found: string[] = [];
  let words = 0;
  const add = (decoded: string | null) => {
    words += 1;
    const shown = decoded === null ? null : asText(decoded);
    if (shown !== null) found.push(shown);
  };
  for (const [word] of text.replace(LINE_BREAK, '').matchAll(/[A-Za-z0-9+/_-]{6,}/g)) {
    // A slash or a hyphen may also part two words.
    const parts = word.split(/[^A-Za-z0-9]+/);
    for (const each of parts.length === 1 ? parts : [word, ...parts]) {
      add(fromBase64(each));
      add(fromHex(each.replace(/^0[xX]/, '')));
      if (words % WORDS_PER_STEP === 0) yield;
    }
  }
  for (const [pairs] of text.matchAll(HEX_PAIRS)) {
    add(fromHex(pairs.replace(/0x|[-:,\s]/g, '')));
    if (words % WORDS_PER_STEP === 0) yield;
  }
  for (const [list] of text.matchAll(BYTE_LIST)) {
    add(yield* fromList(list));
    if (words % WORDS_PER_STEP === 0) yield;
  }
  return found.join('\0');
}

/** As many numbers as take a tenth of a millisecond. */
const NUMBERS_PER_STEP = 1_024;

/** The bytes of a list of numbers; null if it has greater ones. */
function* fromList(list: string): Steps<string | null> {
  const bytes = new Uint8Array(list.length);
  let length = 0;
  for (const [digits] of list.matchAll(/\d+/g)) {
    const byte = Number(digits);
    if (byte > 0xff) return null;
    bytes[length] = byte;
    length += 1;
    if (length % NUMBERS_PER_STEP === 0) yield;
  }
  return decodeLatin1(bytes.subarray(0, length));
}

/** What a Base64 word of either alphabet, without padding, says; null when it is too short or cut. */
export function fromBase64(word: string): string | null {
  if (word.length < 6 || word.length % 4 === 1) return null;
  return atob(word.replaceAll('-', '+').replaceAll('_', '/'));
}

function fromHex(word: string): string | null {
  const isHex = word.length >= 8 && word.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(word);
  return isHex ? decodeLatin1(hexToBytes(word)) : null;
}

/** The text that bytes are: UTF-8, or UTF-16 of ASCII, without control characters but white space; null for other bytes. */
function asText(decoded: string): string | null {
  if (isText(decoded)) return decoded;
  const narrow = decoded.replaceAll('\0', '');
  return narrow.length * 2 === decoded.length && isText(narrow) ? narrow : null;
}

/** No decoder: one that refuses takes longer than a pattern, and most words are refused. */
const UTF8 = /^(?:[^\x80-\xff]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})*$/;

function isText(decoded: string): boolean {
  let isAscii = true;
  for (let at = 0; at < decoded.length; at++) {
    const code = decoded.charCodeAt(at);
    if (code === 0x7f || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)) return false;
    if (code >= 0x80) isAscii = false;
  }
  return isAscii || UTF8.test(decoded);
}

/** A text as the Latin-1 rendering of its UTF-8 bytes, like everything that is searched. */
export function utf8Characters(text: string): string {
  return decodeLatin1(encoder.encode(text));
}
