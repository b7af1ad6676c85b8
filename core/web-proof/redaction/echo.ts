import { decodeLatin1 } from '../http/text.ts';
import { type HiddenValue, MIN_ECHO_LENGTH } from './hidden-value.ts';

/** Stands for a hidden byte in what is searched: no value to look for holds it. */
const GAP = 0;

const encoder = new TextEncoder();

/** Text in which hidden values must not appear, and what it is, for messages. */
export interface SearchedText {
  readonly where: string;
  readonly bytes: Uint8Array;
}

/** Bytes with the hidden ones blanked, so that nothing is found across or inside them. */
export function blankHidden(bytes: Uint8Array, hidden: readonly { start: number; end: number }[]): Uint8Array {
  // Not `slice`: that of a Node buffer shares its memory.
  const blanked = new Uint8Array(bytes);
  for (const { start, end } of hidden) blanked.fill(GAP, start, end);
  return blanked;
}

export type EchoResult =
  | { readonly kind: 'clean' }
  | { readonly kind: 'found'; readonly what: string; readonly where: string }
  /** The comparison was given up: whoever asked must take the worst for granted. */
  | { readonly kind: 'unknown' };

/** Characters compared before giving up, about a tenth of a second. Only a body made for it comes near. */
const MAX_COMPARISONS = 5_000_000;

/** Characters read before other work gets its turn, about a hundredth of a second; a text is read in one go. */
const READ_AT_ONCE = 262_144;

/**
 * Looks for hidden values in text that stays visible: as they are, and in the forms in which servers repeat what they were
 * sent (percent escapes, form encoding, JSON escapes, HTML entities, Base64). Reads each text up to nine times, and lets
 * other work in between.
 */
export async function findEcho(values: readonly HiddenValue[], searched: readonly SearchedText[]): Promise<EchoResult> {
  const wanted = indexByPrefix(values);
  if (wanted.size === 0) return { kind: 'clean' };
  let comparisons = 0;
  let read = 0;
  for (const { where, bytes } of searched) {
    for (const view of viewsOf(decodeLatin1(bytes))) {
      read += view.length;
      if (read > READ_AT_ONCE) {
        read = 0;
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      let prefix = 0;
      for (let end = 1; end <= view.length; end++) {
        prefix = ((prefix << 8) | view.charCodeAt(end - 1)) >>> 0;
        const candidates = wanted.get(prefix);
        if (candidates === undefined) continue;
        for (const { text, what } of candidates) {
          const same = commonLength(view, end - PREFIX_LENGTH, text);
          if (same === text.length) return { kind: 'found', what, where };
          comparisons += same;
          if (comparisons > MAX_COMPARISONS) return { kind: 'unknown' };
        }
      }
    }
  }
  return { kind: 'clean' };
}

/** How many characters of `text` stand in `view` at `at`, up to the first that differs. */
function commonLength(view: string, at: number, text: string): number {
  let length = 0;
  while (length < text.length && view.charCodeAt(at + length) === text.charCodeAt(length)) length++;
  return length;
}

const PREFIX_LENGTH = 4;

interface Wanted {
  /** Latin-1 rendering of UTF-8 bytes: comparing those finds byte sequences, whatever they mean. */
  readonly text: string;
  readonly what: string;
}

/** All texts to look for, by their first four bytes, so that one pass over a view looks for all of them. */
function indexByPrefix(values: readonly HiddenValue[]): Map<number, Wanted[]> {
  const index = new Map<number, Wanted[]>();
  const seen = new Set<string>();
  for (const { what, tellTales } of values) {
    for (const tellTale of tellTales) {
      for (const text of encodings(tellTale).flatMap((bytes) => [decodeLatin1(bytes), ...base64Forms(bytes)])) {
        if (seen.has(text)) continue;
        seen.add(text);
        let prefix = 0;
        for (let i = 0; i < PREFIX_LENGTH; i++) prefix = ((prefix << 8) | text.charCodeAt(i)) >>> 0;
        const list = index.get(prefix);
        if (list === undefined) index.set(prefix, [{ text, what }]);
        else list.push({ text, what });
      }
    }
  }
  return index;
}

/** The bytes that a text may be on the wire: UTF-8, and Latin-1 where it can be that. */
function encodings(text: string): Uint8Array[] {
  const latin1 = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const fits = latin1.length >= MIN_ECHO_LENGTH && decodeLatin1(latin1) === text;
  return fits ? [encoder.encode(text), latin1] : [encoder.encode(text)];
}

/** The ways to read a text: as it is, and with each kind of escape undone. Each is made when it is asked for. */
function* viewsOf(text: string): Generator<string, void> {
  yield* withoutQuoting(text);
  const unescaped = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => byteCharacter(Number.parseInt(hex, 16)));
  if (unescaped !== text) yield* withoutQuoting(unescaped);
  if (unescaped.includes('+')) yield* withoutQuoting(unescaped.replaceAll('+', ' '));
}

function* withoutQuoting(text: string): Generator<string, void> {
  yield text;
  if (text.includes('\\')) yield undoJsonEscapes(text);
  if (text.includes('&')) yield undoEntities(text);
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function undoJsonEscapes(text: string): string {
  return text.replace(/(?:\\u[0-9A-Fa-f]{4})+|\\([^u])/g, (match, short: string | undefined) => {
    if (short !== undefined) return SHORT_ESCAPES[short] ?? short;
    // Runs are taken together so that surrogate pairs become one character.
    let run = '';
    for (const unit of match.split('\\u').slice(1)) run += String.fromCharCode(Number.parseInt(unit, 16));
    return utf8Characters(run);
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function undoEntities(text: string): string {
  return text.replace(/&(?:#x([0-9A-Fa-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (match, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? match;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return point <= 0x10ffff ? utf8Characters(String.fromCodePoint(point)) : match;
  });
}

function byteCharacter(byte: number): string {
  return String.fromCharCode(byte);
}

/** A text as the Latin-1 rendering of its UTF-8 bytes, like everything that is searched. */
function utf8Characters(text: string): string {
  return decodeLatin1(encoder.encode(text));
}

/**
 * Base64 of the bytes wherever they start within a longer encoded text: the characters at either end depend on the
 * neighbours and are left out. Both alphabets.
 */
function base64Forms(bytes: Uint8Array): string[] {
  const forms = [0, 1, 2].map((shift) => {
    const padded = new Uint8Array(shift + bytes.length);
    padded.set(bytes, shift);
    const whole = btoa(decodeLatin1(padded)).replaceAll('=', '');
    const tail = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    return whole.slice(Math.ceil((shift * 4) / 3), whole.length - tail);
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
