/** Looks for hidden values in what stays visible. */
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { base64Forms, bytesIn, decodedTextsOf, inOneCase, unescapings } from './decoded-texts.ts';
import { type HiddenValue, MIN_SEARCHED_LENGTH } from './hidden-value.ts';

/** Stands for a hidden byte in what is searched: no value to look for holds it. */
const GAP = 0;

/**
 * What a text is about. A short value says little in headers that say how to talk (`protocol`), or that no rule can hide (`fixed`).
 * A short word says little among the names of fields.
 */
export type Place = 'text' | 'url' | 'names' | 'protocol' | 'fixed';

/** Text in which hidden values must not appear. */
export interface SearchedText {
  /** What it is, for messages. */
  readonly where: string;
  readonly bytes: Uint8Array;
  readonly place: Place;
  /** The same text in parts, to say more precisely where a value is. */
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
  /** `noted`: short values that are there, maybe by chance. */
  | { readonly kind: 'clean'; readonly noted: readonly string[] }
  | { readonly kind: 'found'; readonly what: string; readonly where: string }
  /** The comparison was given up: the caller must assume the worst. */
  | { readonly kind: 'unknown' };

/** Characters compared before giving up, a quarter of a second. Only a body made for it comes near. */
const MAX_COMPARED = 200_000_000;
/** What it costs to decode a character and to look it up, in comparisons. */
const READING = 4;

/** Values of fewer bytes are in other places by chance; they are not looked for. */
export const MIN_BYTES = 4;
/** Base64 is no word: fewer bytes of it are anywhere by chance. */
const MIN_IN_BASE64 = 6;

/**
 * Looks for hidden values in text that stays visible, in any letter case. It finds them also in Base64, and with percent, JSON and
 * HTML escapes (nested too). Values of 8 bytes or more are found anywhere, those of 4 to 7 as whole words or numbers. Throws the reason
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
  /** It counts as a whole word or number only. */
  readonly isShort: boolean;
}

class HiddenValueSearch {
  readonly noted = new Set<string>();
  readonly #byStart = new Map<number, Sought[]>();
  #compared = 0;

  constructor(values: readonly HiddenValue[]) {
    const byForm = new Map<string, Sought>();
    for (const value of values) {
      for (const tellTale of value.tellTales) {
        // Without its own escapes too: undoing those of a text can undo some of the value in it.
        for (const each of [...unescapings(tellTale), ...shorterNumber(tellTale)]) {
          const form = inOneCase(each);
          const length = Math.min(bytesIn(each), bytesIn(form));
          if (length >= MIN_BYTES && form.length > 1) addValue(byForm, form, value, length < MIN_SEARCHED_LENGTH);
        }
        if (bytesIn(tellTale) < MIN_IN_BASE64) continue;
        for (const form of base64Forms(tellTale)) addValue(byForm, form.toLowerCase(), value, false);
      }
    }
    for (const sought of byForm.values()) {
      const start = startAt(sought.form, 0);
      const alike = this.#byStart.get(start);
      if (alike === undefined) this.#byStart.set(start, [sought]);
      else alike.push(sought);
    }
  }

  get isExhausted(): boolean {
    return this.#compared > MAX_COMPARED;
  }

  /** The first value found in a text; undefined also once the search is exhausted. */
  foundIn({ bytes, place }: SearchedText): HiddenValue | undefined {
    for (const text of decodedTextsOf(bytes)) {
      this.#compared += READING * text.length;
      if (this.isExhausted) return undefined;
      for (let at = 0; at + 1 < text.length && !this.isExhausted; at++) {
        for (const sought of this.#byStart.get(startAt(text, at)) ?? []) {
          this.#compared += sought.form.length;
          if (!text.startsWith(sought.form, at)) continue;
          const standing = sought.isShort ? standingOf(text, at, at + sought.form.length) : 'alone';
          const refused = sought.values.find((value) => meaningOf(value, sought, place, standing) === 'refused');
          if (refused !== undefined) return refused;
          const noted = sought.values.find((value) => meaningOf(value, sought, place, standing) === 'noted');
          if (noted !== undefined) this.noted.add(noted.what);
        }
      }
    }
    return undefined;
  }
}

/** `12.50` is `12.5` elsewhere. */
const shorterNumber = (text: string) => (/^-?\d{1,15}\.\d{1,15}$/.test(text) ? [String(Number(text))] : []);

/** Two code units as a number; every text that is looked for has them. */
function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

function addValue(byForm: Map<string, Sought>, form: string, value: HiddenValue, isShort: boolean): void {
  const sought = byForm.get(form);
  if (sought === undefined) byForm.set(form, { form, values: [value], isShort });
  // Bodies repeat values: one of each sort is enough.
  else if (!sought.values.some((each) => each.named === value.named && each.aboutTalking === value.aboutTalking)) {
    sought.values.push(value);
  }
}

/** Whether a short text is one word or number, a part of a longer one, or joined to others: a date, a time or an id. */
type Standing = 'alone' | 'joined' | 'part';

/** What a text that was found means: the proof is refused, the caller is warned, or nothing. */
function meaningOf(
  { named = false, aboutTalking = false }: HiddenValue,
  { form, isShort }: Sought,
  place: Place,
  standing: Standing,
): 'refused' | 'noted' | 'nothing' {
  if (!isShort) return place === 'fixed' && aboutTalking ? 'nothing' : 'refused';
  if (standing === 'part') return 'nothing';
  const isWord = !/\d/.test(form);
  if (place === 'protocol' || place === 'fixed') return !aboutTalking && (named || !isWord) ? 'noted' : 'nothing';
  // `"type":"User"` is not what `/user` shows, unless the caller says so. Any word can be the name of a field.
  const isChance = standing === 'joined' || (isWord && (place === 'names' || (place === 'url' && !named)));
  return isChance ? 'noted' : 'refused';
}

function standingOf(text: string, start: number, end: number): Standing {
  const form = text.slice(start, end);
  const before = text.slice(Math.max(0, start - 2), start);
  // 12.50 is 12.5, and 4711.00 is 4711, but 1.2.10 is another version than 1.2.1.
  const zeros = /^[^.\p{L}]*\.\d+$/u.test(form) ? /^0+(?!\.?\d)/ : /^\.0+(?!\.?\d)/;
  const after = text.slice(end, end + 8).replace(/\d$/.test(form) ? zeros : '', '');
  if (!/^\d+$/.test(form)) {
    const isPart = /^[\p{L}\p{N}]/u.test(form) && /[\p{L}\p{N}]$/u.test(before);
    return isPart || (/[\p{L}\p{N}]$/u.test(form) && /^[\p{L}\p{N}]/u.test(after)) ? 'part' : 'alone';
  }
  // 4711 is neither 3.4711 nor 4711.3, and the number of a character in an escape is none of the text.
  if (/(?:\d|\d\.|%|\\u|&#)$/.test(before) || /^(?:\d|\.\d)/.test(after)) return 'part';
  // A unit or a label may be joined to it (`pin4711`); dates and hex digits are full of chance numbers.
  return /[a-f]$|[a-f\d][-:]$/.test(before) || /^[a-f]|^[-:][a-f\d]/.test(after) ? 'joined' : 'alone';
}
