/** Numbers that are written in groups: `4111 1111 1111 1111`, `1,234,567`, `+48 (600) 700-800`. */
import type { Steps } from '../attested-values/steps.ts';
import type { ByteRange } from '../tlsnotary/ranges.ts';
import type { HiddenValue } from './hidden-value.ts';
import { type Needles, needlesAt, needlesOf, PREFIX_LENGTH, pushByte } from './needles.ts';
import { utf8Characters } from './text-forms.ts';
import { charactersIn, matchesOf, type Pattern, runsOf } from './text-scan.ts';

/** What may stand between two groups; the last ones are spaces and apostrophes beyond ASCII, in UTF-8. */
const SEPARATOR = "(?:[ .,'()/_-]|\\xc2\\xa0|\\xe2\\x80[\\x80-\\xaf])";
const BETWEEN = new RegExp(`^${SEPARATOR}{1,3}$`);
const MAX_BETWEEN = 9;
const WHOLE_VALUE = new RegExp(`^[+(]{0,2}\\d+(?:${SEPARATOR}{1,3}\\d+)*$`);

/** Shorter numbers count only in the groupings that people use, since a list of numbers has many others. */
const MIN_ANY_GROUPING = 8;
const THOUSANDS = new RegExp(`^\\d{1,3}(${SEPARATOR})\\d{3}(?:\\1\\d{3})*$`);
const PAIRS = /^\d\d([ .-])\d\d\1\d\d(?:\1\d\d)?$/;
const SINGLES = /^\d([ -])\d(?:\1\d){2,}$/;

const MAX_DIGITS = 32;
const MAX_WRITTEN = 4 * MAX_DIGITS;

/** How a value that is one number, maybe in groups, is looked for; nothing of fewer than 4 or more than 32 digits. */
export function numbersOf(value: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  const written = value.length > MAX_WRITTEN ? '' : utf8Characters(value);
  if (!WHOLE_VALUE.test(written)) return numbers;
  const digits = written.replace(/\D+/g, '');
  // A short number in groups may be anything: a time, a version, a fraction.
  const fewest = digits.length === written.length ? 4 : 6;
  if (digits.length >= fewest && digits.length <= MAX_DIGITS) numbers.add(digits);
  for (const amount of amountsOf(written)) numbers.add(amount);
  return numbers;
}

/** `1,234.50`, `1234.5`: the thousands may be parted, and the fraction has one or two digits. */
const AMOUNT = /^(\d{1,3}(?:(?:[ ,.']|\xc2\xa0|\xe2\x80[\x80-\xaf])\d{3})+|\d{3,})[.,](\d\d?)$/;
/** Shorter ones stand anywhere by chance. */
const MIN_AMOUNT = 5;

/** The numbers that an amount says: in hundredths, and as a whole if the fraction is zero. */
function amountsOf(written: string): string[] {
  const [, whole = '', fraction = ''] = AMOUNT.exec(written) ?? [];
  const digits = whole.replace(/\D/g, '');
  const hundredths = `${digits}${fraction.padEnd(2, '0')}`;
  if (hundredths.length < MIN_AMOUNT) return [];
  return /^0+$/.test(fraction) && digits.length >= MIN_AMOUNT - 1 ? [hundredths, digits] : [hundredths];
}

/** Numbers to look for in groups of digits. */
export interface WantedNumbers {
  readonly values: ReadonlyMap<string, readonly HiddenValue[]>;
  /** The digits that the groups begin with. */
  readonly needles: Needles;
}

/** Prepares the search for `numbers`, each of 4 digits or more. */
export function* wantedNumbers(numbers: Map<string, HiddenValue[]>): Steps<WantedNumbers> {
  const digits = new Map(numbers);
  for (const [number, values] of numbers) {
    // An amount may have one digit of its hundredths: `1234.5`.
    const shorter = number.slice(0, -1);
    const isAmount = number.length >= MIN_AMOUNT && number.endsWith('0');
    if (isAmount && !digits.has(shorter)) digits.set(shorter, values);
  }
  return { values: numbers, needles: yield* needlesOf(digits) };
}

/** Groups of digits that follow one another. */
interface Sequence {
  readonly groups: string[];
  /** Where each group begins and ends in the text. */
  readonly ranges: ByteRange[];
}

const DIGIT = charactersIn(/\d/);

/** As many groups as take a tenth of a millisecond. */
const GROUPS_PER_STEP = 256;
/** Of a long sequence, no more are kept at a time, and so many of them for the numbers that begin in the next part. */
const MAX_KEPT = 4 * GROUPS_PER_STEP;
const OVERLAP = 2 * MAX_DIGITS;

/**
 * The wanted numbers that groups of digits in a text make, two groups or more each; null where other work may come in.
 * Compares digits with the wanted numbers alone: every group begins up to 31 windows. `onCompared` is told how many.
 */
export function* groupedNumbers(
  text: string,
  wanted: WantedNumbers,
  onCompared: (characters: number) => void,
): Generator<string | null, void> {
  let sequence: Sequence = { groups: [], ranges: [] };
  let read = 0;
  for (const range of runsOf(text, DIGIT, 1)) {
    read += 1;
    if (range === null || read % GROUPS_PER_STEP === 0) yield null;
    if (range === null) continue;
    const { start } = range;
    const before = sequence.ranges.at(-1);
    const follows =
      before !== undefined && start - before.end <= MAX_BETWEEN && BETWEEN.test(text.slice(before.end, start));
    if (before !== undefined && !follows) {
      yield* numbersIn(text, sequence, wanted, onCompared);
      sequence = { groups: [], ranges: [] };
    } else if (sequence.groups.length >= MAX_KEPT) {
      yield* numbersIn(text, sequence, wanted, onCompared, MAX_KEPT - OVERLAP);
      const { groups, ranges } = sequence;
      sequence = { groups: groups.slice(-OVERLAP), ranges: ranges.slice(-OVERLAP) };
    }
    sequence.groups.push(text.slice(start, range.end));
    sequence.ranges.push(range);
  }
  yield* numbersIn(text, sequence, wanted, onCompared);
}

/** Those that begin in the first `count` groups. */
function* numbersIn(
  text: string,
  { groups, ranges }: Sequence,
  { values, needles }: WantedNumbers,
  onCompared: (characters: number) => void,
  count = groups.length,
): Generator<string | null, void> {
  if (groups.length < 2) return;
  const digits = groups.join('');
  const written = (first: number, last: number) => text.slice(ranges[first]?.start, ranges[last]?.end);
  let at = 0;
  for (const [first, group] of groups.slice(0, count).entries()) {
    if (first % GROUPS_PER_STEP === 0) yield null;
    let prefix = 0;
    for (let i = 0; i < PREFIX_LENGTH; i++) prefix = pushByte(prefix, digits.charCodeAt(at + i));
    for (const needle of needlesAt(needles.get(prefix) ?? [], digits, at, onCompared)) {
      let last = first;
      let length = group.length;
      while (length < needle.text.length) {
        last += 1;
        length += groups[last]?.length ?? 0;
      }
      if (length > needle.text.length) continue;
      const whole = written(first, last);
      onCompared(whole.length);
      const isNumber = last > first && (length >= MIN_ANY_GROUPING || isUsual(whole));
      if (isNumber && values.has(needle.text)) yield needle.text;
      // The group behind a whole amount may be its fraction.
      for (const amount of [...amountsOf(whole), ...fractionless(written(first, last + 1))]) {
        if (values.has(amount)) yield amount;
      }
    }
    at += group.length;
  }
}

/** The whole amount if the fraction is zero. */
function fractionless(written: string): string[] {
  return written.length > MAX_WRITTEN ? [] : amountsOf(written).slice(1);
}

function isUsual(written: string): boolean {
  return THOUSANDS.test(written) || PAIRS.test(written) || SINGLES.test(written);
}

const UUID = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])/;
/** A plus sign may have been read as a space. */
const OFFSET = /[ +-](?:0\d|1[0-4]):?(?:00|15|30|45)/;
const ZONE = new RegExp(` ?(?:z|gmt|utc|${OFFSET.source})`);
/** `2026-11-22T08:46:40.471Z`; midnight may well be a birthday. */
const TIMESTAMP = /(?<!\d)\d{4}-\d\d-\d\d[t ](?!00:00)\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?!\d)/;
/** `22 nov 2026 08:46:40`, `nov 22 08:46:40 +0000 2026`. */
const DATED = new RegExp(
  `(?<!\\d)\\d\\d? [a-z]{3} \\d{4} \\d\\d:\\d\\d:\\d\\d|[a-z]{3} \\d\\d? \\d\\d:\\d\\d:\\d\\d ${OFFSET.source} \\d{4}(?!\\d)`,
);
const CHANCE: Pattern = {
  pattern: new RegExp(`${UUID.source}|(?:${TIMESTAMP.source}|${DATED.source})(?:${ZONE.source})?`, 'g'),
  reach: 64,
  back: 1,
};

/** Where a text in small letters has numbers of no meaning of their own: the years and zones of timestamps, parts of UUIDs. */
export function* chanceNumbers(view: string): Generator<ByteRange | null, void> {
  for (const found of matchesOf(view, CHANCE)) yield found;
}
