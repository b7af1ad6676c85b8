/**
 * The forms in which servers repeat what they were sent. Texts are Latin-1 renderings of bytes: comparing those finds byte
 * sequences, whatever they mean.
 */
import { hexToBytes } from '@noble/hashes/utils.js';
import { decodeLatin1, decodeUtf8 } from '../http/text.ts';

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

/** The text in small letters, those outside ASCII too. */
export function withoutCase(text: string): string {
  return text.replace(/[A-Z]+|[\x80-\xff]+/g, (run) => {
    if (run.charCodeAt(0) < 0x80) return run.toLowerCase();
    const letters = decodeUtf8(latin1Bytes(run));
    return letters === null ? run.toLowerCase() : utf8Characters(letters.toLowerCase());
  });
}

/**
 * The text as it is, and with percent escapes, JSON escapes and HTML entities undone, one after the other, until nothing changes.
 * The last one does not depend on how often a text was escaped, so a value and its echo become the same; the ones between are
 * needed where the end of an echo and what follows it look like an escape.
 */
export function unescapings(text: string): string[] {
  const texts = new Set([text]);
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current;
    for (const undo of [undoPercent, undoJsonEscapes, undoEntities]) {
      current = undo(current);
      texts.add(current);
    }
    if (current === before) break;
  }
  return [...texts];
}

/** A text with its spaces written as forms write them, or not: both become the same. */
export function withSpaces(text: string): string {
  return text.replaceAll('+', ' ');
}

function undoPercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function undoJsonEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(
    /(?:\\u[0-9A-Fa-f]{4})+|\\x([0-9A-Fa-f]{2})|\\([^ux])/g,
    (match, hex: string | undefined, short: string | undefined) => {
      if (short !== undefined) return SHORT_ESCAPES[short] ?? short;
      if (hex !== undefined) return utf8Characters(String.fromCharCode(Number.parseInt(hex, 16)));
      // Runs are taken together so that surrogate pairs become one character.
      let run = '';
      for (const unit of match.split('\\u').slice(1)) run += String.fromCharCode(Number.parseInt(unit, 16));
      return utf8Characters(run);
    },
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function undoEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#[xX]([0-9A-Fa-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g,
    (match, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name] ?? match;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10ffff ? utf8Characters(String.fromCodePoint(point)) : match;
    },
  );
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

/** What the Base64 and hex words of a text say, as far as that is text. Finds short values, and JSON inside tokens. */
export function decodedWords(text: string): string {
  const found: string[] = [];
  for (const [word] of text.matchAll(/[A-Za-z0-9+/_-]{6,}/g)) {
    // A slash or a hyphen may also part two words.
    const parts = word.split(/[^A-Za-z0-9]+/);
    for (const each of parts.length === 1 ? parts : [word, ...parts]) {
      for (const decoded of [fromBase64(each), fromHex(each)]) {
        if (decoded !== null && isText(decoded)) found.push(decoded);
      }
    }
  }
  return found.join('\0');
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

/** UTF-8 without control characters other than white space. */
function isText(decoded: string): boolean {
  let isAscii = true;
  for (let at = 0; at < decoded.length; at++) {
    const code = decoded.charCodeAt(at);
    if (code === 0x7f || (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d)) return false;
    if (code >= 0x80) isAscii = false;
  }
  return isAscii || decodeUtf8(latin1Bytes(decoded)) !== null;
}

/** A text as the Latin-1 rendering of its UTF-8 bytes, like everything that is searched. */
export function utf8Characters(text: string): string {
  return decodeLatin1(encoder.encode(text));
}
