/** TikTok's counters, which come twice: `stats` rounded for people, `statsV2` exact, as strings. */
import { asCount, field } from '../scraping/index.ts';
import { CHANGED, type Changed } from './optional.ts';

/**
 * The exact counter; the rounded one where there is no exact one; null when neither is shown. A negative one is an overflow of
 * TikTok's own and is taken for not shown.
 */
export function readCounter(holder: unknown, name: string): number | null | Changed {
  const exact = readOne(field(holder, 'statsV2', name));
  return exact === null ? readOne(field(holder, 'stats', name)) : exact;
}

/** `stats` has three figures: a number of more is rounded. */
const FEWEST_ROUNDED = 1_000;

/**
 * The exact counter, or null: for a total that proves absence if it was read. A rounded one below the truth would be reached too
 * early.
 */
export function readExactCounter(holder: unknown, name: string): number | null | Changed {
  const count = readCounter(holder, name);
  const isRounded = readOne(field(holder, 'statsV2', name)) === null && typeof count === 'number';
  return isRounded && count >= FEWEST_ROUNDED ? null : count;
}

function readOne(value: unknown): number | null | Changed {
  if (value === undefined || value === null) return null;
  const count = asCount(value);
  if (count !== null) return count;
  const isNegative = typeof value === 'number' ? value < 0 : typeof value === 'string' && /^-\d{1,16}$/.test(value);
  return isNegative ? null : CHANGED;
}
