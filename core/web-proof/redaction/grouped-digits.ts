/** Numbers that are written in groups: `4111 1111 1111 1111`, `1,234,567`, `+48 (600) 700-800`. */

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

/** The digits of a value that is one number, maybe in groups; null when it is none, or has fewer than 4 or more than 32. */
export function digitsOf(value: string): string | null {
  if (value.length > 4 * MAX_DIGITS || !WHOLE_VALUE.test(value)) return null;
  const digits = value.replace(/\D+/g, '');
  // A short number in groups may be anything: a time, a version, a fraction.
  const fewest = digits.length === value.length ? 4 : 6;
  return digits.length < fewest || digits.length > MAX_DIGITS ? null : digits;
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
      }
    }
  }
}

function isUsual(written: string): boolean {
  return THOUSANDS.test(written) || PAIRS.test(written) || SINGLES.test(written);
}
