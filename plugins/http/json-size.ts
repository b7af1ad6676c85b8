/**
 * How much a JSON text unfolds to. `{},` is three bytes on the wire and more than sixty in memory. A body that may be large
 * for the sake of a few long texts must not be as large in values.
 */

/** As many as fit into a body of the default size, so that no such body has to be looked at. */
export const MAX_JSON_VALUES = 65_536;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** Behind a quote that is escaped there are often more. So many bytes are looked at one by one before the next search. */
const WALK_BYTES = 64;

/**
 * True when more than `limit` values are in the text. Counts commas and opening brackets outside of strings (an empty
 * list or object counts twice). The text need not be JSON; the answer is then of no consequence. One pass; long strings are
 * skipped by `indexOf`.
 */
export function hasMoreValuesThan(limit: number, text: Uint8Array): boolean {
  let [at, values, strings] = [0, 1, 0];
  while (at < text.length) {
    const byte = text[at];
    at += 1;
    if (byte === QUOTE) {
      at = skipString(text, at) + 1;
      strings += 1;
    } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values += 1;
    // JSON has at most a name and a text for each value.
    if (values > limit || strings > 2 * limit) return true;
  }
  return false;
}

/** Index of the closing quote, or of the end. */
function skipString(text: Uint8Array, start: number): number {
  let at = start;
  while (at < text.length) {
    const quote = text.indexOf(QUOTE, at);
    if (quote === -1) return text.length;
    if (!isEscaped(text, quote)) return quote;
    at = quote + 1;
    for (const walked = at + WALK_BYTES; at < walked; at += 1) {
      const byte = text[at];
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at += 1;
    }
  }
  return at;
}

/** A quote is escaped by an odd number of backslashes. */
function isEscaped(text: Uint8Array, quote: number): boolean {
  let before = quote - 1;
  while (text[before] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
}
