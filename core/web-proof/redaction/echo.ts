import { decodeLatin1 } from '../http/text.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { digestsOf, digestWords } from './digests.ts';
import { type EchoIndex, indexValues, needlesAt, PREFIX_LENGTH, pushByte, put, standsAlone } from './echo-index.ts';
import { chanceNumbers, groupedNumbers } from './grouped-digits.ts';
import { type HiddenValue, MIN_ECHO_LENGTH } from './hidden-value.ts';
import { decodedWords, undoQuotedPrintable, unescapings, withoutCase, withSpaces } from './text-forms.ts';

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
  readonly parts?: () => readonly SearchedText[];
}

/** Bytes with the hidden ones blanked, so that nothing is found across or inside them. */
export function blankHidden(bytes: Uint8Array, hidden: readonly { start: number; end: number }[]): Uint8Array {
  // Not `slice`: a Node buffer's shares its memory.
  const blanked = new Uint8Array(bytes);
  for (const { start, end } of hidden) blanked.fill(GAP, start, end);
  return blanked;
}

interface EchoAnswer {
  /** Characters read and compared, and 64 for each hash. */
  readonly steps: number;
}

export type EchoResult = EchoAnswer &
  (
    | {
        readonly kind: 'clean';
        /** Values that are there, maybe by chance: of 1 to 3 bytes, or numbers in timestamps and UUIDs. */
        readonly noted: readonly string[];
      }
    | { readonly kind: 'found'; readonly what: string; readonly where: string }
    /** The comparison was given up: the caller must assume the worst. */
    | { readonly kind: 'unknown' }
  );

/** Characters compared before giving up, about a tenth of a second. Only a body made for it comes near. */
const MAX_COMPARISONS = 5_000_000;

/** Hashes made before giving up: each takes some microseconds. */
const MAX_HASHES = 100_000;

/** What a hash counts as steps. */
const HASH_STEPS = 64;

/** Steps before other work gets its turn, about a hundredth of a second; a text is read in one go. */
const STEPS_AT_ONCE = 262_144;

/**
 * Looks for hidden values in text that stays visible. It finds them as they are, in any letter case, and in the forms in which servers
 * repeat what they were sent:
 * - percent escapes, form encoding, JSON escapes, HTML entities, all of them nested too;
 * - Base64, hex and common hashes, also of one another;
 * - digits in groups.
 *
 * Values of 8 bytes or more are found anywhere, those of 4 to 7 as whole words or numbers. Reads each text a few times,
 * once for each nesting of escapes, and lets other work in between.
 */
export async function findEcho(values: readonly HiddenValue[], searched: readonly SearchedText[]): Promise<EchoResult> {
  const search = new EchoSearch(values);
  for (const text of searched) {
    const value = await search.foundIn(text);
    if (search.exhausted) return { kind: 'unknown', steps: search.steps };
    if (value === undefined) continue;
    const part = text.parts === undefined ? null : await findEcho([value], text.parts());
    const where = part?.kind === 'found' ? part.where : text.where;
    return { kind: 'found', what: value.what, where, steps: search.steps };
  }
  return { kind: 'clean', noted: [...search.noted], steps: search.steps };
}

class EchoSearch {
  readonly noted = new Set<string>();
  steps = 0;
  readonly #texts = new Map<string, HiddenValue[]>();
  readonly #index: EchoIndex;
  readonly #digests = new Map<number, ReadonlyMap<string, readonly HiddenValue[]>>();
  #hashes = 0;
  #compared = 0;
  #pausedAt = 0;

  constructor(values: readonly HiddenValue[]) {
    const readable = new Map<string, HiddenValue[]>();
    for (const value of values) {
      for (const tellTale of value.tellTales) {
        put(this.#texts, tellTale, value);
        if (value.hashedOnly !== true) put(readable, tellTale, value);
      }
    }
    this.#index = indexValues(readable);
  }

  get exhausted(): boolean {
    return this.#compared > MAX_COMPARISONS || this.#hashes > MAX_HASHES;
  }

  /** The first value found in a text. */
  async foundIn(text: SearchedText): Promise<HiddenValue | undefined> {
    if (this.#texts.size === 0) return undefined;
    const readings = unescapings(decodeLatin1(text.bytes));
    const plain = readings.at(-1) ?? '';
    for (const view of viewsOf(readings)) {
      await this.#read(view.length);
      const value = this.#inView(view, text) ?? this.#inGroups(view, text);
      if (value !== undefined || this.exhausted) return value;
    }
    await this.#read(plain.length);
    return await this.#asHash(plain, text);
  }

  #inView(view: string, text: SearchedText): HiddenValue | undefined {
    const { byPrefix, tiny } = this.#index;
    if (tiny.size > 0) this.#noteTiny(view, text);
    if (byPrefix.size === 0) return undefined;
    const onCompared = (characters: number) => {
      this.#compared += characters;
      this.steps += characters;
    };
    let chance: readonly ByteRange[] | undefined;
    let prefix = 0;
    for (let end = 1; end <= view.length; end++) {
      prefix = pushByte(prefix, view.charCodeAt(end - 1));
      const list = byPrefix.get(prefix);
      if (list === undefined || end < PREFIX_LENGTH) continue;
      const at = end - PREFIX_LENGTH;
      for (const needle of needlesAt(list, view, at, onCompared)) {
        const { length } = needle.text;
        if (length < MIN_ECHO_LENGTH && !standsAlone(view, at, at + length)) continue;
        const value = heeded(needle.values, needle.text, text);
        if (value === undefined) {
          this.#note(needle.values.find((each) => text.notes?.(each, needle.text)));
          continue;
        }
        if (length < MIN_ECHO_LENGTH && /^\d+$/.test(needle.text)) {
          chance ??= chanceNumbers(view);
          if (chance.some(({ start, end }) => start <= at && at + length <= end)) {
            this.#note(value);
            continue;
          }
        }
        return value;
      }
      if (this.exhausted) return undefined;
    }
    return undefined;
  }

  #note(value: HiddenValue | undefined): void {
    if (value !== undefined) this.noted.add(value.what);
  }

  #noteTiny(view: string, text: SearchedText): void {
    for (const [word] of view.matchAll(/[a-z0-9\x80-\xff]+/g)) {
      if (word.length >= PREFIX_LENGTH) continue;
      this.#note(heeded(this.#index.tiny.get(word) ?? [], word, text));
    }
  }

  #inGroups(view: string, text: SearchedText): HiddenValue | undefined {
    const { numbers } = this.#index;
    if (numbers.size === 0) return undefined;
    for (const digits of groupedNumbers(view)) {
      this.steps += 1;
      const value = heeded(numbers.get(digits) ?? [], digits, text);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  async #asHash(plain: string, text: SearchedText): Promise<HiddenValue | undefined> {
    for (const [length, words] of digestWords(`${plain}\0${decodedWords(plain)}`)) {
      const known = await this.#digestsOf(length);
      for (const word of words) {
        const value = heeded(known.get(word) ?? [], word, text);
        if (value !== undefined) return value;
      }
    }
    return undefined;
  }

  /** The hashes of this length of all values; made only when a text has a word that may be one. */
  async #digestsOf(length: number): Promise<ReadonlyMap<string, readonly HiddenValue[]>> {
    const known = this.#digests.get(length);
    if (known !== undefined) return known;
    const made = new Map<string, HiddenValue[]>();
    this.#digests.set(length, made);
    for (const [text, values] of this.#texts) {
      for (const digest of digestsOf(text, length)) {
        for (const value of values) put(made, digest, value);
        this.#hashes += 1;
        await this.#read(HASH_STEPS);
      }
      if (this.exhausted) break;
    }
    return made;
  }

  async #read(steps: number): Promise<void> {
    this.steps += steps;
    if (this.steps - this.#pausedAt <= STEPS_AT_ONCE) return;
    this.#pausedAt = this.steps;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** The ways to read a text, in small letters. */
function viewsOf(readings: readonly string[]): Set<string> {
  const [raw = ''] = readings;
  const plain = readings.at(-1) ?? '';
  const others = [undoQuotedPrintable(plain), decodedWords(plain)];
  return new Set([raw, ...readings.map(withSpaces), ...others].map(withoutCase));
}

function heeded(values: readonly HiddenValue[], form: string, { heeds }: SearchedText): HiddenValue | undefined {
  return heeds === undefined ? values[0] : values.find((value) => heeds(value, form));
}
