/** Looks for hidden values in what stays visible. */
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { type DecodedText, decodedTextsOf, inOneCase, unescapings } from './decoded-texts.ts';
import { type HiddenValue, MIN_SEARCHED_LENGTH } from './hidden-value.ts';
import { chanceNumbersIn, standsAlone } from './short-values.ts';

/** Stands for a hidden byte in what is searched: no value to look for holds it. */
const GAP = 0;

/** Text in which hidden values must not appear. */
export interface SearchedText {
  /** What it is, for messages. */
  readonly where: string;
  readonly bytes: Uint8Array;
  /** Whether this form of a value counts here; every one does when missing. */
  readonly heeds?: (value: HiddenValue, form: string) => boolean;
  /** Of those that do not count: whether this one is worth a warning. */
  readonly notes?: (value: HiddenValue, form: string) => boolean;
  /** The same text in parts, to say more precisely where a value stands. */
  readonly parts?: () => Iterable<SearchedText>;
}

/** Copies bytes with the hidden ones blanked, so that nothing is found across or inside them. */
export function blankHidden(bytes: Uint8Array, hidden: readonly ByteRange[]): Uint8Array {
  // Not `slice`: a Node buffer's shares its memory.
  const blanked = new Uint8Array(bytes);
  for (const { start, end } of hidden) blanked.fill(GAP, start, end);
  return blanked;
}

export type SearchResult =
  /** `noted`: values that are there, maybe by chance: of 1 to 3 bytes, or numbers in timestamps and UUIDs. */
  | { readonly kind: 'clean'; readonly noted: readonly string[] }
  | { readonly kind: 'found'; readonly what: string; readonly where: string }
  /** The comparison was given up: the caller must assume the worst. */
  | { readonly kind: 'unknown' };

/** Characters compared before giving up, a quarter of a second. Only a body made for it comes near. */
const MAX_COMPARED = 200_000_000;

/** Shorter values are in other places by chance; they are only warned of. */
export const MIN_BYTES = 4;

/** Values are found by their first characters. */
const PREFIX_LENGTH = 4;

/**
 * Looks for hidden values in text that stays visible, in any letter case. It finds them also in Base64, and with percent, JSON and
 * HTML escapes (nested too). Values of 8 characters or more are found anywhere, those of 4 to 7 as whole words or numbers. Throws the reason
 * of `signal` once that is aborted.
 */
export function findHiddenValue(
  values: readonly HiddenValue[],
  searched: Iterable<SearchedText>,
  signal?: AbortSignal,
): SearchResult {
  const search = new HiddenValueSearch(values);
  for (const text of searched) {
    signal?.throwIfAborted();
    const value = search.foundIn(text);
    if (search.isExhausted) return { kind: 'unknown' };
    if (value === undefined) continue;
    const part = text.parts === undefined ? null : findHiddenValue([value], text.parts(), signal);
    return { kind: 'found', what: value.what, where: part?.kind === 'found' ? part.where : text.where };
  }
  return { kind: 'clean', noted: [...search.noted] };
}

/** A text to look for, in one letter case. */
interface Sought {
  readonly form: string;
  readonly values: HiddenValue[];
  /** The longest other text that this one begins with. */
  parent: Sought | undefined;
}

/** Texts that begin alike, in the order of their code units: what begins with a text follows it. */
interface Alike {
  readonly sorted: Sought[];
  longest: number;
}

class HiddenValueSearch {
  readonly noted = new Set<string>();
  /** Forms of 1 to 3 characters. */
  readonly #tiny = new Map<string, Sought>();
  readonly #byPrefix = new Map<number, Alike>();
  #compared = 0;

  constructor(values: readonly HiddenValue[]) {
    const byForm = new Map<string, Sought>();
    for (const value of values) {
      for (const tellTale of value.tellTales) {
        // Without its own escapes too: undoing those of a text can undo some of the value in it.
        for (const form of unescapings(tellTale)) if (form !== '') addValue(byForm, inOneCase(form), value);
      }
    }
    for (const sought of [...byForm.values()].sort((one, other) => (one.form < other.form ? -1 : 1))) {
      if (sought.form.length < PREFIX_LENGTH) this.#tiny.set(sought.form, sought);
      else this.#addSorted(sought);
    }
  }

  #addSorted(sought: Sought): void {
    let prefix = 0;
    for (let at = 0; at < PREFIX_LENGTH; at++) prefix = withCharacter(prefix, sought.form.charCodeAt(at));
    const alike = this.#byPrefix.get(prefix) ?? { sorted: [], longest: 0 };
    this.#byPrefix.set(prefix, alike);
    let parent = alike.sorted.at(-1);
    while (parent !== undefined && !sought.form.startsWith(parent.form)) parent = parent.parent;
    sought.parent = parent;
    alike.sorted.push(sought);
    alike.longest = Math.max(alike.longest, sought.form.length);
  }

  get isExhausted(): boolean {
    return this.#compared > MAX_COMPARED;
  }

  /** The first value found in a text; undefined also once the search is exhausted. */
  foundIn(text: SearchedText): HiddenValue | undefined {
    if (this.#tiny.size === 0 && this.#byPrefix.size === 0) return undefined;
    for (const decoded of decodedTextsOf(text.bytes)) {
      const tiny = decoded.isBinary ? undefined : this.#foundTiny(decoded.text, text);
      const value = tiny ?? this.#foundInText(decoded, text);
      if (value !== undefined || this.isExhausted) return value;
    }
    return undefined;
  }

  #foundInText({ text: read, isBinary }: DecodedText, text: SearchedText): HiddenValue | undefined {
    if (this.#byPrefix.size === 0) return undefined;
    const isChance = chanceNumbersIn(read);
    let prefix = 0;
    for (let end = 1; end <= read.length; end++) {
      prefix = withCharacter(prefix, read.charCodeAt(end - 1));
      const alike = this.#byPrefix.get(prefix);
      if (alike === undefined || end < PREFIX_LENGTH) continue;
      const start = end - PREFIX_LENGTH;
      for (const { form, values } of this.#soughtAt(read, start, alike)) {
        const isShort = form.length < MIN_SEARCHED_LENGTH;
        if (isShort && (isBinary || !standsAlone(read, start, start + form.length))) continue;
        const value = heeded(values, form, text);
        const isCounted = value !== undefined && !(isShort && isChance(start, start + form.length));
        if (isCounted) return value;
        this.#note(value ?? values.find((each) => text.notes?.(each, form)));
      }
      if (this.isExhausted) return undefined;
    }
    return undefined;
  }

  /** The texts that are in `read` at `start`, longest first. */
  *#soughtAt(read: string, start: number, { sorted, longest }: Alike): Generator<Sought, void> {
    const here = read.slice(start, start + longest);
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      this.#compared += longest;
      if ((sorted[middle]?.form ?? '') <= here) low = middle + 1;
      else high = middle;
    }
    // What is here is the last text that is not after it, or what that begins with.
    for (let sought = sorted[low - 1]; sought !== undefined; sought = sought.parent) {
      this.#compared += sought.form.length;
      if (here.startsWith(sought.form)) yield sought;
    }
  }

  #note(value: HiddenValue | undefined): void {
    if (value !== undefined) this.noted.add(value.what);
  }

  /** Those of 4 bytes or more count, as names in Chinese have them; shorter ones are noted. */
  #foundTiny(read: string, text: SearchedText): HiddenValue | undefined {
    if (this.#tiny.size === 0) return undefined;
    for (const [word] of read.matchAll(/[\p{L}\p{N}]+/gu)) {
      for (const form of word.length < PREFIX_LENGTH ? [word] : wideParts(word)) {
        const value = heeded(this.#tiny.get(form)?.values ?? [], form, text);
        if (value !== undefined && bytesIn(form) >= MIN_BYTES) return value;
        this.#note(value);
      }
    }
    return undefined;
  }
}

const utf8 = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export function bytesIn(text: string): number {
  return utf8.encode(text).length;
}

/** Three letters each of 9 bytes: scripts that have such letters put no blanks between words. */
function* wideParts(word: string): Generator<string, void> {
  for (const { index } of word.matchAll(/[\u0800-\uffff](?=[\u0800-\uffff]{2})/g)) yield word.slice(index, index + 3);
}

function addValue(byForm: Map<string, Sought>, form: string, value: HiddenValue): void {
  const sought = byForm.get(form);
  if (sought === undefined) byForm.set(form, { form, values: [value], parent: undefined });
  // Bodies repeat values: one of each sort is enough.
  else if (!sought.values.some((each) => each.named === value.named && each.aboutTalking === value.aboutTalking)) {
    sought.values.push(value);
  }
}

/** The last four characters as a number. Characters beyond Latin-1 can look alike in it, so it only finds candidates. */
function withCharacter(prefix: number, code: number): number {
  return ((prefix << 8) | (code & 0xff)) >>> 0;
}

function heeded(values: readonly HiddenValue[], form: string, { heeds }: SearchedText): HiddenValue | undefined {
  return heeds === undefined ? values[0] : values.find((value) => heeds(value, form));
}
