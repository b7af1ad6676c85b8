/** Bytes that a text of this length takes beside its characters: the quotes. */
const QUOTES = 2;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** A bit for each control character with a short escape: `\b`, `\t`, `\n`, `\f`, `\r`. Others are written as `\u0001`. */
const SHORT_ESCAPES = (1 << 0x08) | (1 << 0x09) | (1 << 0x0a) | (1 << 0x0c) | (1 << 0x0d);

/**
 * The length in UTF-8 of `JSON.stringify(text)`, without making it: a control character becomes six bytes there. The text
 * is well-formed: it has no halves of surrogate pairs.
 */
export function jsonBytes(text: string): number {
  let length = QUOTES;
  for (let at = 0; at < text.length; at += 1) length += bytesOf(text.charCodeAt(at));
  return length;
}

function bytesOf(unit: number): number {
  if (unit === QUOTE || unit === BACKSLASH) return 2;
  if (unit < 0x20) return (SHORT_ESCAPES & (1 << unit)) === 0 ? 6 : 2;
  if (unit < 0x80) return 1;
  // Each half of a pair is half of four bytes.
  if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) return 2;
  return 3;
}
