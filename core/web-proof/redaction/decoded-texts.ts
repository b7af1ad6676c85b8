/** Decodes visible bytes in every form in which a hidden value could be read from them. */
import { decodeHeaderText, decodeLatin1, decodeUtf8 } from '../http/text.ts';

/** A text in one decoded form and one letter case. */
export interface DecodedText {
  readonly text: string;
  /** Bytes that are no text, such as a wrong cut of Base64: short values are in them by chance. */
  readonly isBinary: boolean;
}

/** Nested escapes are undone this many times. */
const MAX_ROUNDS = 4;

/** Writes what differs in letter case alone the same way: `ß` and `SS`, and the Greek `ς`, which only ends words. */
export function inOneCase(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Reads `bytes` as they are, with percent, JSON and HTML escapes undone one after the other, and with `+` for spaces. Base64 in them
 * is decoded. The text after every step counts, since an escape and the text beside it can look like another escape.
 */
export function decodedTextsOf(bytes: Uint8Array): readonly DecodedText[] {
  const texts = new Map<string, DecodedText>();
  const add = (text: string, isBinary = false) => {
    const folded = inOneCase(text);
    if (!texts.has(folded)) texts.set(folded, { text: folded, isBinary });
  };
  const addAll = (text: string): string => {
    const forms = unescapings(text);
    for (const each of forms) {
      add(each);
      // Forms write a space as `+`, and a plus sign as an escape.
      if (each.includes('+')) for (const spaced of unescapings(each.replaceAll('+', ' '))) add(spaced);
    }
    return forms.at(-1) ?? text;
  };
  for (const text of textsOf(bytes)) {
    const { readable, binary } = decodeBase64Words(addAll(text));
    addAll(readable);
    for (const each of binary) add(each, true);
  }
  return [...texts.values()];
}

/** UTF-8, and also Latin-1 if the bytes are not UTF-8. */
function textsOf(bytes: Uint8Array): string[] {
  const text = decodeUtf8(bytes);
  return text === null ? [lossyUtf8.decode(bytes), decodeLatin1(bytes)] : [text];
}

/** The text as it is and after each escape that is undone, until nothing changes. The last one has no escapes left. */
export function unescapings(text: string): string[] {
  const texts = new Set([text]);
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = current;
    for (const undo of [undoPercentEscapes, undoJsonEscapes, undoHtmlEscapes]) {
      current = undo(current);
      texts.add(current);
    }
    if (current === before) break;
  }
  return [...texts];
}

function undoPercentEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
    decodeHeaderText(Uint8Array.from(run.matchAll(/[0-9A-Fa-f]{2}/g), ([hex]) => Number.parseInt(hex, 16))),
  );
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function undoJsonEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([^ux]))/g, (_escape, unit, byte, short) =>
    short === undefined
      ? String.fromCharCode(Number.parseInt(unit ?? byte, 16))
      : (SHORT_ESCAPES[short as string] ?? short),
  );
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const MAX_CODE_POINT = 0x10ffff;

function undoHtmlEscapes(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(
    /&(?:#[xX]0{0,64}([0-9A-Fa-f]{1,6});?|#0{0,64}(\d{1,7});?|(amp|lt|gt|quot|apos|nbsp);)/g,
    (entity, hex, decimal, name) => {
      if (name !== undefined) return NAMED_ENTITIES[name as string] ?? entity;
      const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= MAX_CODE_POINT ? String.fromCodePoint(point) : entity;
    },
  );
}

/** Shorter words of Base64 hold no value that is looked for. */
const BASE64_WORD = /[A-Za-z0-9+/_-]{6,}/g;
const MIN_WORD = 6;
/** MIME and PEM cut it into lines. */
const LINE_END_IN_WORD = /\r?\n(?<=[A-Za-z0-9+/_-]{60}\r?\n)/g;
const NOT_PRINTABLE_ASCII = /[^\x20-\x7e\t\n\r]/;
const NOT_TEXT = /(?![\t\n\r])\p{Cc}|\ufffd/u;
/** Text among bytes that are none: its start is long enough to be rare by chance. */
const TEXT_IN_BINARY = /[\x20-\x7e\t\n\r]{6}[\x20-\x7e\x80-\xff\t\n\r]*/g;

/**
 * Decodes every word that may be Base64, in both alphabets. It does so from each of its first four characters on, since a path or a
 * name may be joined to it. What comes out as text, in whole or in part, is apart from what does not. A zero byte ends each part, so that
 * nothing is found across two.
 */
function decodeBase64Words(text: string): { readonly readable: string; readonly binary: readonly string[] } {
  const readable: string[] = [];
  const binary: string[] = [];
  for (const match of new Set(text.replace(LINE_END_IN_WORD, '').match(BASE64_WORD))) {
    const word = match.replaceAll('-', '+').replaceAll('_', '/');
    for (let from = 0; from < 4 && word.length - from >= MIN_WORD; from++) {
      // A last character alone holds no byte.
      const bytes = atob(word.slice(from, word.length - ((word.length - from) % 4 === 1 ? 1 : 0)));
      const decoded = NOT_PRINTABLE_ASCII.test(bytes) ? lossyUtf8.decode(bytesOf(bytes)) : bytes;
      if (decoded === bytes || !NOT_TEXT.test(decoded)) readable.push(decoded);
      else {
        binary.push(bytes);
        for (const [part] of bytes.matchAll(TEXT_IN_BINARY)) readable.push(lossyUtf8.decode(bytesOf(part)));
      }
    }
  }
  const joined = binary.join('\0');
  return { readable: readable.join('\0'), binary: [joined, lossyUtf8.decode(bytesOf(joined))] };
}

function bytesOf(latin1: string): Uint8Array {
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < latin1.length; at++) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}
