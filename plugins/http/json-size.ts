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

/** Bytes that are looked at in one turn: some milliseconds of work. */
const TURN_BYTES = 1024 * 1024;
/** Behind a quote that is escaped there are often more. So many bytes are looked at one by one before the next search. */
const WALK_BYTES = 64;

/** How far a text was looked at. */
interface Count {
  at: number;
  isInString: boolean;
  values: number;
  strings: number;
}

/**
 * True when more than `limit` values are in the text. Counts commas and opening brackets outside of strings (an empty
 * list or object counts twice). The text need not be JSON; the answer is then of no consequence. One pass; long strings are
 * skipped by `indexOf`.
 * @param nextTurn called between parts of a long text
 */
export async function hasMoreValuesThan(
  limit: number,
  text: Uint8Array,
  nextTurn: () => Promise<void> = async () => undefined,
): Promise<boolean> {
  const count: Count = { at: 0, isInString: false, values: 1, strings: 0 };
  for (;;) {
    countOn(count, text, Math.min(count.at + TURN_BYTES, text.length), limit);
    // JSON has at most a name and a text for each value.
    if (count.values > limit || count.strings > 2 * limit) return true;
    if (count.at >= text.length) return false;
    await nextTurn();
  }
}

/** Counts up to `stop`, or beyond it up to the end of a string; ends early if there are too many. */
function countOn(count: Count, text: Uint8Array, stop: number, limit: number): void {
  let { at, isInString, values, strings } = count;
  while (at < stop && values <= limit && strings <= 2 * limit) {
    if (isInString) {
      at = skipString(text, at, stop);
      isInString = text[at] !== QUOTE;
      if (!isInString) at += 1;
      continue;
    }
    const byte = text[at];
    at += 1;
    if (byte === QUOTE) {
      isInString = true;
      strings += 1;
    } else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) values += 1;
  }
  Object.assign(count, { at, isInString, values, strings });
}

/** Index of the closing quote. If none comes before `stop`, of where to continue, which may be the quote, or of the end. */
function skipString(text: Uint8Array, start: number, stop: number): number {
  let at = start;
  while (at < stop) {
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
