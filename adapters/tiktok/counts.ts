/** TikTok's counters, which come twice: `stats` rounded for people, `statsV2` exact, as strings. */
import { asCount, field, optional } from '../scraping/index.ts';

/** Null if it is not shown, undefined if it cannot be read. */
export type Counter = number | null | undefined;

/** The exact counter; the rounded one where there is no exact one; null when neither is shown. */
export function readCounter(holder: unknown, name: string): Counter {
  const exact = shownCount(field(holder, 'statsV2', name));
  return exact === null ? shownCount(field(holder, 'stats', name)) : exact;
}

/** `stats` has three figures: a number of more is rounded. */
const FEWEST_ROUNDED = 1_000;

/**
 * The exact counter, or null: for a total that proves absence if it was read. A rounded one below the truth would be reached too
 * early.
 */
export function readExactCounter(holder: unknown, name: string): Counter {
  const count = readCounter(holder, name);
  const isRounded = shownCount(field(holder, 'statsV2', name)) === null && typeof count === 'number';
  return isRounded && count >= FEWEST_ROUNDED ? null : count;
}

/** A negative count is an overflow of TikTok's own and is taken for not shown. */
export function shownCount(value: unknown): Counter {
  const isNegative = typeof value === 'number' ? value < 0 : typeof value === 'string' && /^-\d{1,16}$/.test(value);
  return isNegative ? null : optional(value, asCount);
}
