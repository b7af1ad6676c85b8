import { gathered } from '../../gather.ts';
import type { Storage } from '../../ports/storage.ts';
import { readLots } from '../campaigns/draw-winners.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptCommand } from './attempt-command.ts';
import { lastHandle } from './load-facts.ts';
import { type AttemptDeps, factsOf, tryMove } from './move-attempt.ts';
import { rulesOf } from './states.ts';
import { whyHeld } from './why-held.ts';

export interface IssueRewardDeps extends AttemptDeps {
  readonly storage: AttemptDeps['storage'] & Pick<Storage, 'draws'>;
}

/**
 * Issues the points of a verified attempt, or holds it: the handler of `issue-reward` jobs. Exactly once, however often it runs: the
 * transition from `verified` has one winner, and every later run finds the attempt rewarded.
 */
export function issueReward(deps: IssueRewardDeps) {
  const lotOf = readLots(deps.storage);
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
      if (await tryIssue(deps, attempt, lotOf)) return;
    }
  };
}

/** False if others moved the attempt meanwhile, or drew. */
async function tryIssue(deps: AttemptDeps, attempt: Attempt, lotOf: ReturnType<typeof readLots>): Promise<boolean> {
  // The handle of the verification's announcement, also when the creator has linked another one since.
  const facts = await factsOf(deps, attempt, { username: lastHandle(attempt) });
  const draw = facts.campaign.terms?.draw;
  const lot = draw && (await lotOf(draw.commitment, attempt.id));
  const held = whyHeld(attempt, facts.campaign, facts.challenge, deps.clock.now(), lot);
  const command: AttemptCommand = held === null ? { type: 'issue-reward' } : { type: 'hold', ...held };
  if ((await tryMove(deps, attempt, facts, { command })) === null) return false;
  // Drawn meanwhile: who releases the participants may have missed this one.
  return draw === undefined || held?.why !== 'draw' || (await lotOf(draw.commitment, attempt.id)) === 'open';
}
