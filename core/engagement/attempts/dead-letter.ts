/** What becomes of an attempt whose job will not run again: the `onDeadLetter` of `verify-attempt` and `issue-reward` jobs. */
import { isDomainError } from '../../errors.ts';
import type { JobFailure, JobPayloads } from '../../ports/job-queue.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import { type RecheckPolicy, recheckDelay } from './deadline.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';
import { rulesOf } from './states.ts';

export type DeadLetterDeps = AttemptDeps & Pick<UseCaseParts, 'logger'>;

/**
 * Hands the claim of a pending attempt back to the creator, as when a post cannot be read. No retry is used, nothing is
 * announced, and the claim is checked again later. An attempt that is not pending any more is left alone.
 */
export function abandonVerification(deps: DeadLetterDeps & RecheckPolicy) {
  return async ({ attemptId }: JobPayloads['verify-attempt'], { error }: JobFailure): Promise<void> => {
    const attempt = await deps.storage.attempts.find(attemptId);
    if (attempt === null) return;
    try {
      await moveAttempt(deps, attempt, {
        command: { type: 'hand-back', why: 'verification broke down', recheckInMs: recheckDelay(attempt, deps) },
      });
    } catch (failure) {
      // Not pending any more, or gone.
      if (!isDomainError(failure, 'INVALID_TRANSITION', 'NOT_FOUND')) throw failure;
      return;
    }
    deps.logger.error({ attemptId, error }, 'verification dead-lettered; the claim was handed back');
  };
}

/** Names the attempt. Points that are owed stay owed: `recoverLostWork` queues the reward again. */
export function reportUnissuedReward(deps: Pick<DeadLetterDeps, 'storage' | 'logger'>) {
  return async ({ attemptId }: JobPayloads['issue-reward'], { error }: JobFailure): Promise<void> => {
    const attempt = await deps.storage.attempts.find(attemptId);
    if (attempt === null || rulesOf(attempt.state).awaits !== 'issue-reward') return;
    deps.logger.error({ attemptId, error }, 'a reward could not be issued; it will be tried again within the hour');
  };
}
