import type { Needs } from '../engagement/use-case-parts.ts';

/** After so many periods the lock has another name: then it may run once more than it should. */
const PERIODS_OF_A_KEY = 10;

/**
 * Runs a periodic task in only one process at a time. Returns undefined, without running it, if a process that shares the
 * storage began it within the last `everyMs`. A task that takes longer than `everyMs` may overlap with its next run.
 *
 * @param lookEveryMs how often the returned function is called, if more often than `everyMs`: the first run then comes sooner
 */
export function inOneProcess<T>(
  { storage, clock }: Needs<'locks', 'clock'>,
  name: string,
  everyMs: number,
  task: () => Promise<T>,
  lookEveryMs = everyMs,
) {
  return async (): Promise<T | undefined> => {
    const now = clock.now();
    // A little less than the period, or the next turn of the same timer would come too early.
    const until = new Date(now.getTime() + everyMs - lookEveryMs * 0.1);
    // A lock that a clock stored while it was set wrong must not stop the task for long.
    const key = `maintenance:${name}:${Math.floor(now.getTime() / (PERIODS_OF_A_KEY * everyMs))}`;
    return (await storage.locks.claimOnce(key, until, now)) ? task() : undefined;
  };
}
