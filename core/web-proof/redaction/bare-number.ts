/** Numbers that are written with a sign, a currency or a unit: `-98765.43`, `$1,234,567`, `98765.43 EUR`, `122.419416° W`. */

const MAX_WRITTEN = 128;
const UNIT = '(?:\\p{L}{0,3}\\p{Sc}|\\p{L}{1,3}\\.?)';
const BEFORE = new RegExp(`^[-+\\u2212(]?\\s?(?:${UNIT}\\s?)?[-+\\u2212]?$`, 'u');
const BEHIND = new RegExp(`^[\\s°]{0,2}(?:${UNIT})?[-)]?$`, 'u');
const NUMBER = /\d[\d\s.,'’]*(?<=\d)/;

/** Shorter ones stand anywhere by chance. */
const MIN_BARE = 4;
/** Letters may be no currency: a month before a year, the name of a standard. */
const LONG_OR_AMOUNT = /(?:\d\D*){6}|[.,]\d\d$/;

/** The number without what is written around it; null if it stands alone, is too short, or if the value is no number. */
export function bareNumber(value: string): string | null {
  if (value.length > MAX_WRITTEN) return null;
  const found = NUMBER.exec(value);
  if (found === null) return null;
  const [number] = found;
  const before = value.slice(0, found.index);
  const behind = value.slice(found.index + number.length);
  if (before + behind === '' || number.length < MIN_BARE || !BEFORE.test(before) || !BEHIND.test(behind)) return null;
  return /\p{L}/u.test(before + behind) && !LONG_OR_AMOUNT.test(number) ? null : number;
}
