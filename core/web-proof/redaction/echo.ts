import { atOnce, inTurns, type Steps } from '../attested-values/steps.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import { digestsOf, digestWords } from './digests.ts';
import { type EchoIndex, indexingSteps, put, standsAlone } from './echo-index.ts';
import { decodingSteps } from './encoded-words.ts';
import { chanceNumbers, groupedNumbers } from './grouped-digits.ts';
import { wordsInGroups } from './grouped-words.ts';
import { type HiddenValue, MIN_ECHO_LENGTH } from './hidden-value.ts';
import { needlesAt, PREFIX_LENGTH, pushByte } from './needles.ts';
import { caseSteps, spacingSteps, undoQuotedPrintable, undoWide, unescapingSteps } from './text-forms.ts';
import { charactersIn, latin1Steps, runsOf } from './text-scan.ts';

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
  readonly parts?: () => Steps<Iterable<SearchedText>>;
}

/** As many ranges as take a tenth of a millisecond. */
const RANGES_PER_STEP = 1_024;

/** Bytes with the hidden ones blanked, so that nothing is found across or inside them. */
export function blankHidden(bytes: Uint8Array, hidden: readonly ByteRange[]): Uint8Array {
  return atOnce(blankingSteps(bytes, hidden));
}

/** `blankHidden` in steps. */
export function* blankingSteps(bytes: Uint8Array, hidden: readonly ByteRange[]): Steps<Uint8Array> {
  // Not `slice`: a Node buffer's shares its memory.
  const blanked = new Uint8Array(bytes);
  for (const [read, { start, end }] of hidden.entries()) {
    blanked.fill(GAP, start, end);
    if (read % RANGES_PER_STEP === 0) yield;
  }
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

/** Characters read before other work may come in, about a tenth of a millisecond. */
const READ_PER_STEP = 4_096;
/** As many comparisons take as long. */
const COMPARED_PER_STEP = 16_384;

/**
 * Looks for hidden values in text that stays visible. It finds them as they are, in any letter case, and in the forms in which servers
 * repeat what they were sent:
 * - percent escapes, form encoding, JSON escapes, HTML entities, all of them nested too;
 * - Base64, hex and common hashes, also of one another;
 * - digits in groups, and letters with digits.
 *
 * Values of 8 bytes or more are found anywhere, those of 4 to 7 as whole words or numbers. Reads each text a few times,
 * once for each nesting of escapes, and lets other work in between. Rejects with the reason of `signal` once that is aborted.
 */
export async function findEcho(
  values: readonly HiddenValue[],
  searched: readonly SearchedText[],
  signal?: AbortSignal,
): Promise<EchoResult> {
  return await inTurns(untilAborted(echoSteps(values, searched), signal));
}

function* untilAborted<T>(steps: Steps<T>, signal: AbortSignal | undefined): Steps<T> {
  for (;;) {
    signal?.throwIfAborted();
    const next = steps.next();
    if (next.done === true) return next.value;
    yield;
  }
}

/** `findEcho` in steps. */
export function* echoSteps(values: readonly HiddenValue[], searched: Iterable<SearchedText>): Steps<EchoResult> {
  const search = new EchoSearch(yield* indexing(values));
  for (const text of searched) {
    const value = yield* search.foundIn(text);
    if (search.exhausted) return { kind: 'unknown', steps: search.steps };
    if (value === undefined) continue;
    const part = text.parts === undefined ? null : yield* echoSteps([value], yield* text.parts());
    const where = part?.kind === 'found' ? part.where : text.where;
    return { kind: 'found', what: value.what, where, steps: search.steps };
  }
  return { kind: 'clean', noted: [...search.noted], steps: search.steps };
}

interface Sought {
  readonly texts: ReadonlyMap<string, readonly HiddenValue[]>;
  readonly index: EchoIndex;
}

function* indexing(values: readonly HiddenValue[]): Steps<Sought> {
  const texts = new Map<string, HiddenValue[]>();
  const readable = new Map<string, HiddenValue[]>();
  for (const value of values) {
    for (const tellTale of value.tellTales) {
      put(texts, tellTale, value);
      if (value.hashedOnly !== true) put(readable, tellTale, value);
    }
  }
  return { texts, index: yield* indexingSteps(readable) };
}

class EchoSearch {
  readonly noted = new Set<string>();
  steps = 0;
  readonly #texts: Sought['texts'];
  readonly #index: EchoIndex;
  readonly #digests = new Map<number, ReadonlyMap<string, readonly HiddenValue[]>>();
  #hashes = 0;
  #compared = 0;

  constructor({ texts, index }: Sought) {
    this.#texts = texts;
    this.#index = index;
  }

  get exhausted(): boolean {
    return this.#compared > MAX_COMPARISONS || this.#hashes > MAX_HASHES;
  }

  /** The first value found in a text. */
  *foundIn(text: SearchedText): Steps<HiddenValue | undefined> {
    if (this.#texts.size === 0) return undefined;
    const raw = yield* latin1Steps(text.bytes);
    const narrow = yield* undoWide(raw);
    const found = yield* this.#inText(raw, text);
    return found !== undefined || this.exhausted || narrow === raw ? found : yield* this.#inText(narrow, text);
  }

  *#inText(raw: string, text: SearchedText): Steps<HiddenValue | undefined> {
    const readings = yield* unescapingSteps(raw);
    const plain = readings.at(-1) ?? '';
    const decoded = yield* decodingSteps(plain);
    const all = new Set([raw]);
    for (const reading of readings) all.add(yield* spacingSteps(reading));
    all.add(yield* undoQuotedPrintable(plain)).add(decoded);
    const views = new Set<string>();
    for (const reading of all) {
      const view = yield* caseSteps(reading);
      if (views.has(view)) continue;
      views.add(view);
      this.steps += view.length;
      yield;
      const value = (yield* this.#inView(view, text)) ?? (yield* this.#inGroups(view, text));
      if (value !== undefined || this.exhausted) return value;
    }
    this.steps += plain.length;
    return yield* this.#asHash(`${plain}\0${decoded}`, text);
  }

  #countCompared(characters: number): void {
    this.#compared += characters;
    this.steps += characters;
  }

  *#inView(view: string, text: SearchedText): Steps<HiddenValue | undefined> {
    const { needles, tiny } = this.#index;
    if (tiny.size > 0) yield* this.#noteTiny(view, text);
    if (needles.size === 0) return undefined;
    const isChance = chanceIn(view);
    const onCompared = (characters: number) => this.#countCompared(characters);
    let paused = this.#compared;
    let prefix = 0;
    for (let end = 1; end <= view.length; end++) {
      if (end % READ_PER_STEP === 0 || this.#compared - paused > COMPARED_PER_STEP) {
        paused = this.#compared;
        yield;
      }
      prefix = pushByte(prefix, view.charCodeAt(end - 1));
      const list = needles.get(prefix);
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
        if (length < MIN_ECHO_LENGTH && /^\d+$/.test(needle.text) && (yield* isChance(at, at + length))) {
          this.#note(value);
          continue;
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

  *#noteTiny(view: string, text: SearchedText): Steps<void> {
    let words = 0;
    for (const range of runsOf(view, WORD, 1)) {
      words += 1;
      if (range === null || words % WORDS_PER_STEP === 0) yield;
      if (range === null || range.end - range.start >= PREFIX_LENGTH) continue;
      const word = view.slice(range.start, range.end);
      this.#note(heeded(this.#index.tiny.get(word) ?? [], word, text));
    }
  }

  *#inGroups(view: string, text: SearchedText): Steps<HiddenValue | undefined> {
    const { numbers, words } = this.#index;
    const onCompared = (characters: number) => this.#countCompared(characters);
    if (numbers.values.size > 0) {
      for (const digits of groupedNumbers(view, numbers, onCompared)) {
        if (this.exhausted) return undefined;
        const value = digits === null ? undefined : heeded(numbers.values.get(digits) ?? [], digits, text);
        if (value !== undefined) return value;
        if (digits === null) yield;
      }
    }
    if (words.needles.size === 0) return undefined;
    for (const word of wordsInGroups(view, words, onCompared)) {
      if (this.exhausted) return undefined;
      const value = word === null ? undefined : heeded(word.values, word.text, text);
      if (value !== undefined) return value;
      if (word === null) yield;
    }
    return undefined;
  }

  *#asHash(words: string, text: SearchedText): Steps<HiddenValue | undefined> {
    for (const [length, digests] of yield* digestWords(words)) {
      const known = yield* this.#digestsOf(length);
      for (const word of digests) {
        const value = heeded(known.get(word) ?? [], word, text);
        if (value !== undefined) return value;
      }
    }
    return undefined;
  }

  /** The hashes of this length of all values; made only when a text has a word that may be one. */
  *#digestsOf(length: number): Steps<ReadonlyMap<string, readonly HiddenValue[]>> {
    const known = this.#digests.get(length);
    if (known !== undefined) return known;
    const made = new Map<string, HiddenValue[]>();
    this.#digests.set(length, made);
    for (const [text, values] of this.#texts) {
      for (const digest of yield* digestsOf(text, length)) {
        for (const value of values) put(made, digest, value);
        this.#hashes += 1;
        this.steps += HASH_STEPS;
      }
      yield;
      if (this.exhausted) break;
    }
    return made;
  }
}

const WORD = charactersIn(/[a-z0-9\x80-\xff]/);
/** As many words as take a tenth of a millisecond. */
const WORDS_PER_STEP = 512;

/** Whether a place of a view has a number of no meaning of its own. Asked in ascending order, so each range is passed once. */
function chanceIn(view: string): (start: number, end: number) => Steps<boolean> {
  const ranges = chanceNumbers(view);
  let range: ByteRange | undefined = { start: 0, end: 0 };
  return function* isChance(start, end) {
    while (range !== undefined && range.end <= start) {
      const next: IteratorResult<ByteRange | null, void> = ranges.next();
      if (next.done === true) range = undefined;
      else if (next.value === null) yield;
      else range = next.value;
    }
    return range !== undefined && range.start <= start && end <= range.end;
  };
}

function heeded(values: readonly HiddenValue[], form: string, { heeds }: SearchedText): HiddenValue | undefined {
  return heeds === undefined ? values[0] : values.find((value) => heeds(value, form));
}
