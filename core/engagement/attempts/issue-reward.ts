import { gathered } from '../../gather.ts';
import { lastHandle } from './load-facts.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';
import { rulesOf } from './states.ts';

/**
 * Issues the points of a verified attempt: the handler of `issue-reward` jobs. Exactly once, however often it runs: the
 * transition from `verified` has one winner, and every later run finds the attempt rewarded.
 */
export function issueReward(deps: AttemptDeps) {
  const fixPoints = gathered(async (challengeIds: readonly number[]) => {
    await Promise.all(challengeIds.map((id) => deps.storage.campaigns.fixPoints(id)));
    return new Map<number, never>();
  });
  return async (payload: { readonly attemptId: number }): Promise<void> => {
    const attempt = await deps.storage.attempts.find(payload.attemptId);
    if (attempt === null || rulesOf(attempt.state).awaits !== 'issue-reward') return;
    // What is read of the campaign after this holds for every later reward too.
    await fixPoints(attempt.challengeId);
    // The handle of the verification's announcement, also when the creator has linked another one since.
    await moveAttempt(deps, attempt, { command: { type: 'issue-reward' }, username: lastHandle(attempt) });
  };
}
