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

/**
 * True when more than `limit` values are in the text. Counts commas and opening brackets outside of strings (an empty
 * list or object counts twice). The text need not be JSON; the answer is then of no consequence. One pass without
 * allocation; strings are skipped by `indexOf`.
 */
export function hasMoreValuesThan(limit: number, text: Uint8Array): boolean {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at);
    } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      if (values > limit) return true;
    }
  }
  return values > limit;
}

/** Index of the closing quote, or of the end. */
function endOfString(text: Uint8Array, start: number): number {
  let end = text.indexOf(QUOTE, start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf(QUOTE, end + 1);
  return end === -1 ? text.length : end;
}

/** A quote is escaped by an odd number of backslashes. */
function isEscaped(text: Uint8Array, quote: number): boolean {
  let before = quote - 1;
  while (text[before] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
}
