/** Texts to look for, all of them in one pass. */
import type { Steps } from '../attested-values/steps.ts';
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
export function* needlesOf(texts: ReadonlyMap<string, HiddenValue[]>): Steps<Needles> {
  const byPrefix = new Map<number, Needle[]>();
  let read = 0;
  // In the order of code units, so that what begins with a text follows it.
  for (const [text, values] of yield* sorted([...texts])) {
    read += 1;
    if (read % TEXTS_PER_STEP === 0) yield;
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

/** As many texts as take a tenth of a millisecond. */
const TEXTS_PER_STEP = 128;

/** Sorts by the text, in steps: parts at first, and then two of them at a time. */
function* sorted<T>(entries: readonly (readonly [string, T])[]): Steps<readonly (readonly [string, T])[]> {
  let parts: (readonly (readonly [string, T])[])[] = [];
  for (let at = 0; at < entries.length; at += TEXTS_PER_STEP) {
    parts.push(entries.slice(at, at + TEXTS_PER_STEP).sort(([a], [b]) => (a < b ? -1 : 1)));
    yield;
  }
  while (parts.length > 1) {
    const merged: (readonly (readonly [string, T])[])[] = [];
    for (let i = 0; i < parts.length; i += 2) merged.push(yield* merging(parts[i] ?? [], parts[i + 1] ?? []));
    parts = merged;
  }
  return parts[0] ?? [];
}

function* merging<T>(
  left: readonly (readonly [string, T])[],
  right: readonly (readonly [string, T])[],
): Steps<readonly (readonly [string, T])[]> {
  const merged: (readonly [string, T])[] = [];
  let next = 0;
  for (const [read, one] of left.entries()) {
    if (read % TEXTS_PER_STEP === 0) yield;
    for (let other = right[next]; other !== undefined && other[0] < one[0]; other = right[next]) {
      merged.push(other);
      next += 1;
      if (next % TEXTS_PER_STEP === 0) yield;
    }
    merged.push(one);
  }
  for (; next < right.length; next++) {
    merged.push(right[next] as readonly [string, T]);
    if (next % TEXTS_PER_STEP === 0) yield;
  }
  return merged;
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
