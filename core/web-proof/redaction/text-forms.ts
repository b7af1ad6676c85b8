/**
 * The forms in which servers repeat what they were sent. Texts are Latin-1 renderings of bytes: comparing those finds byte
 * sequences, whatever they mean.
 */
import { remembered } from '../../keep-newest.ts';
import { atOnce, type Steps } from '../attested-values/steps.ts';
import { decodeLatin1, decodeUtf8 } from '../http/text.ts';
import { ENTITIES } from './html-entities.ts';
import { changing, exchanged, type Pattern, replacing } from './text-scan.ts';

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

/** A letter of up to two bytes, or of Japanese, with its accents behind it; no script has more on one. Or a Korean syllable in parts. */
const DECOMPOSED: Pattern = {
  pattern:
    /(?:[A-Za-z]|[\xc3-\xcb\xce-\xdf][\x80-\xbf]|\xcd[\xb0-\xbf]|\xe3[\x81-\x83][\x80-\xbf])(?:\xcc[\x80-\xbf]|\xcd[\x80-\xaf]|\xe3\x82[\x99\x9a]){1,32}|\xe1\x84[\x80-\x92]\xe1\x85[\xa1-\xb5](?:\xe1\x86[\xa8-\xbf]|\xe1\x87[\x80-\x82])?/g,
  reach: 100,
};

/** Longer runs are read in parts; none ends within a character. */
const CASED: Pattern = { pattern: /[A-Z]{1,4096}|[\x80-\xff]{1,4096}[\x80-\xbf]{0,3}/g, reach: 4_100 };

/**
 * Texts repeat their letters. To decode each again takes microseconds, and ten if it is not UTF-8: as many as letters may
 * stand alone in a text are remembered.
 */
const MAX_KNOWN = 4_096;
const ONE_CHARACTER = 4;

/** The text in small letters, those outside ASCII too, and letters with their accents as one character. */
export function withoutCase(text: string): string {
  return atOnce(caseSteps(text));
}

/** `withoutCase` in steps. */
export function* caseSteps(text: string): Steps<string> {
  const composed = yield* replacing(text, DECOMPOSED, ([letter]) =>
    utf8Characters((decodeUtf8(latin1Bytes(letter)) ?? '').normalize('NFC')),
  );
  const smallLetter = remembered(smallLetters, MAX_KNOWN);
  return yield* replacing(composed, CASED, ([run]) => {
    if (run.charCodeAt(0) < 0x80) return run.toLowerCase();
    return run.length <= ONE_CHARACTER ? smallLetter(run) : smallLetters(run);
  });
}

function smallLetters(run: string): string {
  const letters = decodeUtf8(latin1Bytes(run));
  return letters === null ? run.toLowerCase() : utf8Characters(letters.toLowerCase());
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

/** Characters of one byte with a zero byte, or three, before or behind each. A long run is read in parts, so some follow others. */
const WIDE: Pattern = {
  pattern: /(?:(?<=(?:[^\0]\0(?:\0\0)?){3})(?:[^\0]\0(?:\0\0)?){1,1024}|(?:[^\0]\0(?:\0\0)?){3,1024})(?:[^\0](?!\0))?/g,
  reach: 4_098,
  back: 12,
};

/**
 * The text without the zero bytes of UTF-16 and UTF-32, for characters up to U+00FF. A hidden byte is zero too: visible bytes
 * between single hidden ones are read as one word. That can only refuse more.
 */
export function* undoWide(text: string): Steps<string> {
  if (!text.includes('\0')) return text;
  return yield* replacing(text, WIDE, ([run]) => exchanged(run, '\0', ''));
}

/** A text with its spaces written as forms write them, or not: both become the same. */
export function* spacingSteps(text: string): Steps<string> {
  return text.includes('+') ? yield* changing(text, (piece) => exchanged(piece, '+', ' ')) : text;
}

const UTF16_ESCAPES: Pattern = {
  // The second half of a character beyond 16 bits stays with the first.
  pattern: /(?:%u[0-9A-Fa-f]{4}){1,512}(?:%u[Dd][C-Fc-f][0-9A-Fa-f]{2})?/g,
  reach: 513 * 6,
};
const PERCENT_ESCAPE: Pattern = { pattern: /%([0-9A-Fa-f]{2})/g, reach: 3 };
const QUOTED_BYTE: Pattern = { pattern: /=([0-9A-F]{2})/g, reach: 3 };

function* undoPercent(text: string): Steps<string> {
  if (!text.includes('%')) return text;
  const narrow = yield* replacing(text, UTF16_ESCAPES, ([run]) => fromUtf16Run(run));
  return yield* replacing(narrow, PERCENT_ESCAPE, ([, hex = '']) => byteOf(hex, 16));
}

/** Text in mails: bytes beyond ASCII as `=C5=82`. Elsewhere an equals sign is one, so this is a reading of its own. */
export function* undoQuotedPrintable(text: string): Steps<string> {
  if (!/=[0-9A-F]{2}=[0-9A-F]{2}/.test(text)) return text;
  return yield* replacing(text, QUOTED_BYTE, ([, hex = '']) => byteOf(hex, 16));
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

const JSON_ESCAPE: Pattern = {
  pattern:
    /((?:\\u[0-9A-Fa-f]{4}){1,512}(?:\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})?)|\\(?:u\{([0-9A-Fa-f]{1,6})\}|U([0-9A-Fa-f]{8}))|\\x([0-9A-Fa-f]{2})|\\([0-3][0-7]{2})|\\([^ux])/g,
  reach: 513 * 6,
};

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

const ENTITY: Pattern = {
  pattern: /&(?:#[xX]0{0,64}([0-9A-Fa-f]{1,6});?|#0{0,64}(\d{1,7});?|([A-Za-z]{2,6});)/g,
  reach: 80,
};

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
export function* base64Steps(bytes: Uint8Array): Steps<string[]> {
  const forms: string[] = [];
  for (const shift of [0, 1, 2]) {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const whole = btoa(decodeLatin1(padded)).replace(/={1,2}$/, '');
    const tail = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    const form = whole.slice(Math.ceil((shift * 4) / 3), whole.length - tail);
    forms.push(form, yield* changing(form, (piece) => exchanged(exchanged(piece, '+', '-'), '/', '_')));
  }
  return forms;
}

/** A text as the Latin-1 rendering of its UTF-8 bytes, like everything that is searched. */
export function utf8Characters(text: string): string {
  return decodeLatin1(encoder.encode(text));
}
