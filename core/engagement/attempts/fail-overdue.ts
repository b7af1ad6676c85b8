import type { Attempt } from './attempt.ts';
import { type AttemptDeps, moveInTime } from './move-attempt.ts';

const BATCH = 500;
/** A run that is longer than this continues at the next call. */
const MAX_BATCHES = 20;

/**
 * Fails claimed attempts whose verification deadline has passed; to be called every now and then by any number of
 * processes. Returns how many this call failed. A call looks at each attempt once, by id, and at 10,000 at most.
 */
export function failOverdue(deps: AttemptDeps) {
  return async (): Promise<number> => {
    const now = deps.clock.now();
    let failed = 0;
    let last: Attempt | undefined;
    for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
      const overdue = await deps.storage.attempts.due(
        'expiry',
        now,
        BATCH,
        last && { id: last.id, since: last.updatedAt },
      );
      for (const attempt of overdue) if (await moveInTime(deps, attempt, 'expire')) failed += 1;
      // Also when this batch could not be moved: it does not block those behind it.
      if (overdue.length < BATCH) break;
      last = overdue.at(-1);
    }
    return failed;
  };
}
