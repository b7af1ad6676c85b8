/** Texts to look for, all of them in one pass. */
import type { HiddenValue } from './hidden-value.ts';

/** A text to look for; one of fewer than 8 bytes counts only as a whole word or number. */
export interface Needle {
  readonly text: string;
  readonly values: HiddenValue[];
  /** The longest other needle that this one begins with. */
  parent: Needle | undefined;
}

export const PREFIX_LENGTH = 4;

/** Texts of 4 bytes or more by their first four, each list in the order of its texts. */
export type Needles = ReadonlyMap<number, readonly Needle[]>;

/** The needles for `texts`, each of 4 bytes or more. */
export function needlesOf(texts: ReadonlyMap<string, HiddenValue[]>): Needles {
  const byPrefix = new Map<number, Needle[]>();
  // In the order of code units, so that what begins with a text follows it.
  for (const [text, values] of [...texts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    let prefix = 0;
    for (let i = 0; i < PREFIX_LENGTH; i++) prefix = pushByte(prefix, text.charCodeAt(i));
    const list = byPrefix.get(prefix) ?? [];
    let parent = list.at(-1);
    while (parent !== undefined && !text.startsWith(parent.text)) parent = parent.parent;
    list.push({ text, values, parent });
    byPrefix.set(prefix, list);
  }
  return byPrefix;
}

export function pushByte(prefix: number, byte: number): number {
  return ((prefix << 8) | byte) >>> 0;
}

/** The needles that are in `view` at `at`, longest first. `onCompared` is told how many characters that took. */
export function* needlesAt(
  list: readonly Needle[],
  view: string,
  at: number,
  onCompared: (characters: number) => void,
): Generator<Needle, void> {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const text = list[middle]?.text ?? '';
    const same = commonLength(view, at, text);
    onCompared(same + 1);
    // Behind the end of the view there is nothing: NaN, which is not greater.
    const isAfter = same === text.length || view.charCodeAt(at + same) > text.charCodeAt(same);
    if (isAfter) low = middle + 1;
    else high = middle;
  }
  // Whatever is here is the last text that is not after the view, or what that begins with.
  for (let needle = list[low - 1]; needle !== undefined; needle = needle.parent) {
    const same = commonLength(view, at, needle.text);
    onCompared(same + 1);
    if (same === needle.text.length) yield needle;
  }
}

/** How many characters of `text` are in `view` at `at`, up to the first that differs. */
function commonLength(view: string, at: number, text: string): number {
  let length = 0;
  while (length < text.length && view.charCodeAt(at + length) === text.charCodeAt(length)) length++;
  return length;
}
