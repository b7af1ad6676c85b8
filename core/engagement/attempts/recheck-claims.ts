/** When undecided claims are checked again. */
import type { Attempt } from './attempt.ts';

const MINUTE_MS = 60 * 1_000;
/** A list that ended early is mostly whole again soon; one that stays short is asked for twice a day. */
const DELAYS_MS = [15, 60, 3 * 60, 6 * 60, 12 * 60].map((minutes) => minutes * MINUTE_MS);

export interface RecheckPolicy {
  /** Scales the delays between checks; 1 by default. */
  readonly recheckScale?: number;
}

/** How long an undecided claim waits for its next check, in milliseconds. */
export function recheckDelay({ recheck }: Pick<Attempt, 'recheck'>, { recheckScale = 1 }: RecheckPolicy): number {
  const delay = DELAYS_MS[Math.min(recheck?.count ?? 0, DELAYS_MS.length - 1)] ?? 0;
  return delay * recheckScale;
}
