/** How long a server asks us to stay away: the `Retry-After` field (RFC 9110, section 10.2.3). */

const SECOND = 1000;

/** Nobody is believed who asks for more than a day. */
export const MAX_RETRY_AFTER_MS = 24 * 3_600 * SECOND;

/** Longer than any form of a date; beyond it nothing is looked at. */
const MAX_LENGTH = 64;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The three forms of RFC 9110, section 5.6.7, which servers still send; a day of one digit and `UTC` are forgiven. */
const DATE_FORMS: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, (?<day>\d{1,2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) (?:GMT|UTC)$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{1,2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) (?:GMT|UTC)$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/**
 * The wait that a `Retry-After` value asks for, in milliseconds between 0 and 24 hours; null when it is absent or makes no
 * sense. A date gone by is a wait of 0.
 */
export function readRetryAfter(value: string | null, now: Date): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * SECOND, MAX_RETRY_AFTER_MS);
  const at = text.length > MAX_LENGTH ? null : readHttpDate(text, now);
  return at === null ? null : Math.min(Math.max(at - now.getTime(), 0), MAX_RETRY_AFTER_MS);
}

/** `Date.parse` would not do: it makes a year of any number that it finds, and takes the old forms for local time. */
function readHttpDate(text: string, now: Date): number | null {
  for (const form of DATE_FORMS) {
    const found = form.exec(text)?.groups;
    if (found === undefined) continue;
    const { day = '', month = '', year = '', time = '' } = found;
    const monthIndex = MONTHS.indexOf(month);
    const fullYear = year.length === 2 ? yearOf(Number(year), now) : Number(year);
    const iso = `${String(fullYear).padStart(4, '0')}-${two(monthIndex + 1)}-${two(Number(day))}`;
    const at = Date.parse(`${iso}T${time}Z`);
    // The 31st of June would otherwise become the first of July.
    return Number.isNaN(at) || new Date(at).getUTCDate() !== Number(day) ? null : at;
  }
  return null;
}

/** A year of two digits that seems to lie more than 50 years ahead is one of the past (RFC 9110, section 5.6.7). */
function yearOf(lastDigits: number, now: Date): number {
  const thisYear = now.getUTCFullYear();
  const year = thisYear - (thisYear % 100) + lastDigits;
  return year > thisYear + 50 ? year - 100 : year;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
