import { gathered } from '../../gather.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand } from './attempt-command.ts';
import { lastHandle } from './load-facts.ts';
import { type AttemptDeps, factsOf, tryMove } from './move-attempt.ts';
import { rulesOf } from './states.ts';
import { whyHeld } from './why-held.ts';

/**
 * Issues the points of a verified attempt, or holds it: the handler of `issue-reward` jobs. Exactly once, however often it runs: the
 * transition from `verified` has one winner, and every later run finds the attempt rewarded.
 */
export function issueReward(deps: AttemptDeps) {
  const fixPoints = gathered(async (challengeIds: readonly number[]) => {
    await Promise.all(challengeIds.map((id) => deps.storage.campaigns.fixPoints(id)));
    return new Map<number, never>();
  });
  return async (payload: { readonly attemptId: number }): Promise<void> => {
    for (;;) {
      const attempt = await deps.storage.attempts.find(payload.attemptId);
      if (attempt === null || rulesOf(attempt.state).awaits !== 'issue-reward') return;
      // What is read of the campaign after this holds for every later reward too.
      await fixPoints(attempt.challengeId);
      // If others moved the attempt meanwhile, it is decided again.
      if (await tryIssue(deps, attempt)) return;
    }
  };
}

/** False if others moved the attempt meanwhile. */
async function tryIssue(deps: AttemptDeps, attempt: Attempt): Promise<boolean> {
  // The handle of the verification's announcement, also when the creator has linked another one since.
  const facts = await factsOf(deps, attempt, { username: lastHandle(attempt) });
  const held = whyHeld(attempt, facts.campaign, facts.challenge, deps.clock.now());
  const command: AttemptCommand = held === null ? { type: 'issue-reward' } : { type: 'hold', ...held };
  return (await tryMove(deps, attempt, facts, { command })) !== null;
}
