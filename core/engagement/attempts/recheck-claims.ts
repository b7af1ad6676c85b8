/** Checking undecided claims again: when, and by whom. */
import type { Attempt } from './attempt.ts';
import { type AttemptDeps, moveInTime } from './move-attempt.ts';

const MINUTE_MS = 60 * 1_000;
/** A list that ended early is mostly whole again soon; one that stays short is asked for twice a day. */
const DELAYS_MS = [15, 60, 3 * 60, 6 * 60, 12 * 60].map((minutes) => minutes * MINUTE_MS);
const BATCH = 500;

export interface RecheckPolicy {
  /** Scales the delays between checks; 1 by default. */
  readonly recheckScale?: number;
}

/** How long an undecided claim waits for its next check, in milliseconds. */
export function recheckDelay({ recheck }: Pick<Attempt, 'recheck'>, { recheckScale = 1 }: RecheckPolicy): number {
  const delay = DELAYS_MS[Math.min(recheck?.count ?? 0, DELAYS_MS.length - 1)] ?? 0;
  return delay * recheckScale;
}

/**
 * Starts the verification of undecided claims whose time has come, at most 500 a call, those due longest first. To be called
 * every now and then by any number of processes. A claim is started by exactly one of them: the transition to
 * `verification_pending` has one winner, and queues the job in the same write. Returns how many this call started or, past
 * their deadline, failed.
 */
export function recheckClaims(deps: AttemptDeps) {
  return async (): Promise<number> => {
    const due = await deps.storage.attempts.due('recheck', deps.clock.now(), BATCH);
    let moved = 0;
    for (const attempt of due) if (await moveInTime(deps, attempt, 'recheck')) moved += 1;
    return moved;
  };
}
