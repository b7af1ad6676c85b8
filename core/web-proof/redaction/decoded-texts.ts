/** Decodes visible bytes in every form in which a hidden value could be read from them. */
import { decodeHeaderText, decodeLatin1, decodeUtf8 } from '../http/text.ts';

/** Nested escapes are undone this many times. */
const MAX_ROUNDS = 4;

const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Writes what differs in letter case alone the same way: `ß` and `SS`, and the Greek `ς`, which only ends words. */
export function inOneCase(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ');
}

/**
 * Reads `bytes` as they are, with percent, JSON and HTML escapes undone one after the other, and with `+` for spaces, in one letter
 * case. The text after every step counts, since an escape and the text beside it can look like another escape.
 */
export function decodedTextsOf(bytes: Uint8Array): ReadonlySet<string> {
  const utf8 = decodeUtf8(bytes);
  const texts = new Set<string>();
  for (const text of utf8 === null ? [lossyUtf8.decode(bytes), decodeLatin1(bytes)] : [utf8]) {
    for (const form of unescapings(text)) {
      texts.add(inOneCase(form));
      // Forms write a space as `+`, and a plus sign as an escape.
      if (form.includes('+')) for (const spaced of unescapings(form.replaceAll('+', ' '))) texts.add(inOneCase(spaced));
    }
  }
  return texts;
}

/** The text as it is and after each escape that is undone, until nothing changes. */
export function unescapings(text: string): ReadonlySet<string> {
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
  return texts;
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

const utf8 = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export function bytesIn(text: string): number {
  return utf8.encode(text).length;
}

/**
 * What every Base64 that holds `text` has of it, by how many bytes are before it, in both alphabets. The characters at both ends
 * also depend on the bytes beside it, so they are left out.
 */
export function base64Forms(text: string): readonly string[] {
  const latin1 = decodeLatin1(utf8.encode(text));
  const forms = [0, 1, 2].map((before) => {
    const whole = Math.floor(((before + latin1.length) * 8) / 6);
    return btoa('\0'.repeat(before) + latin1).slice(Math.ceil((before * 8) / 6), whole);
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}
