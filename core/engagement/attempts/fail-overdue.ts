import { isDomainError } from '../../errors.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';

const BATCH = 500;

/**
 * Fails claimed attempts whose verification deadline has passed; to be called every now and then by any number of
 * processes. Returns how many this call failed; at most 500 a call.
 */
export function failOverdue(deps: AttemptDeps) {
  return async (): Promise<number> => {
    const overdue = await deps.storage.attempts.overdue(deps.clock.now(), BATCH);
    let failed = 0;
    for (const attempt of overdue) {
      try {
        const { changed } = await moveAttempt(deps, attempt, { command: { type: 'expire' } });
        if (changed) failed += 1;
      } catch (error) {
        // Verified, failed or removed meanwhile: no longer overdue.
        if (!isDomainError(error, 'INVALID_TRANSITION', 'NOT_FOUND', 'CONFLICT')) throw error;
      }
    }
    return failed;
  };
}
