/** Numbers that are written in groups: `4111 1111 1111 1111`, `1,234,567`, `+48 (600) 700-800`. */
import type { ByteRange } from '../tlsnotary/ranges.ts';

/** What may stand between two groups; the last ones are spaces and apostrophes beyond ASCII, in UTF-8. */
const SEPARATOR = "(?:[ .,'()/_-]|\\xc2\\xa0|\\xe2\\x80[\\x80-\\xaf])";
const GROUPED = new RegExp(`(?<!\\d)\\d+(?:${SEPARATOR}{1,3}\\d+)+`, 'g');
const WHOLE_VALUE = new RegExp(`^[+(]{0,2}\\d+(?:${SEPARATOR}{1,3}\\d+)*$`);

/** Shorter numbers count only in the groupings that people use, since a list of numbers has many others. */
const MIN_ANY_GROUPING = 8;
const THOUSANDS = new RegExp(`^\\d{1,3}(${SEPARATOR})\\d{3}(?:\\1\\d{3})*$`);
const PAIRS = /^\d\d([ .-])\d\d\1\d\d(?:\1\d\d)?$/;
const SINGLES = /^\d([ -])\d(?:\1\d){2,}$/;

export const MAX_DIGITS = 32;

/** How a value that is one number, maybe in groups, is looked for; nothing of fewer than 4 or more than 32 digits. */
export function numbersOf(value: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  if (value.length > 4 * MAX_DIGITS || !WHOLE_VALUE.test(value)) return numbers;
  const digits = value.replace(/\D+/g, '');
  // A short number in groups may be anything: a time, a version, a fraction.
  const fewest = digits.length === value.length ? 4 : 6;
  if (digits.length >= fewest && digits.length <= MAX_DIGITS) numbers.add(digits);
  for (const amount of amountsOf(value)) numbers.add(amount);
  return numbers;
}

/** `1,234.50`, `1234.5`: the thousands may be parted, and the fraction has one or two digits. */
const AMOUNT = /^(\d{1,3}(?:[ ,.']\d{3})+|\d{3,})[.,](\d\d?)$/;
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

/** The numbers that the groups of digits in a text may make, two groups or more each. */
export function* groupedNumbers(text: string): Generator<string, void> {
  for (const [sequence] of text.matchAll(GROUPED)) {
    const groups = [...sequence.matchAll(/\d+/g)];
    for (const [first, group] of groups.entries()) {
      let digits = group[0];
      for (const next of groups.slice(first + 1, first + MAX_DIGITS)) {
        digits += next[0];
        if (digits.length > MAX_DIGITS) break;
        if (digits.length < 4) continue;
        const written = sequence.slice(group.index, next.index + next[0].length);
        if (digits.length >= MIN_ANY_GROUPING || isUsual(written)) yield digits;
        yield* amountsOf(written);
      }
    }
  }
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
const CHANCE = new RegExp(`${UUID.source}|(?:${TIMESTAMP.source}|${DATED.source})(?:${ZONE.source})?`, 'g');

/** Where a text in small letters has numbers of no meaning of their own: the years and zones of timestamps, parts of UUIDs. */
export function chanceNumbers(view: string): ByteRange[] {
  return [...view.matchAll(CHANCE)].map(({ index, 0: match }) => ({ start: index, end: index + match.length }));
}
