import { DomainError, isDomainError } from '../../errors.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { Attempt, Review } from './attempt.ts';
import { type AttemptRef, getAttempt } from './find-attempt.ts';
import { lastHandle } from './load-facts.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';
import { readSince } from './read-since.ts';
import { goneAmong, type StillThereDeps, withoutAnother } from './still-there.ts';

/**
 * A person decides about the reward of a verified attempt: holds it, approves it, or refuses it. The latest decision counts.
 * @throws DomainError `NOT_FOUND`; `INVALID_TRANSITION` before the verification; `CONFLICT` after the reward, if what was verified is gone and
 * was not seen again since, or for an approval while it has to be kept
 */
export function reviewAttempt(deps: AttemptDeps & StillThereDeps) {
  return async (
    input: AttemptRef & Pick<Review, 'decision' | 'reason' | 'by'>,
  ): Promise<Attempt & { readonly review: Review }> => {
    const { decision, reason, by } = input;
    const attempt = await getAttempt(deps, input);
    const review = { decision, reason, by, at: deps.clock.now() };
    const isBack = attempt.held?.why === 'gone' && (await isThereAgain(deps, attempt));
    if (attempt.held?.why === 'holding' && decision === 'approve' && (await isGone(deps, attempt))) {
      throw new DomainError('CONFLICT', 'The comment or like is gone, as a reading has shown: the next check says so.');
    }
    const move = { command: { type: 'review', review, isBack }, username: lastHandle(attempt) } as const;
    try {
      return { ...(await moveAttempt(deps, attempt, move)).after, review };
    } catch (error) {
      if (!isDomainError(error, 'INVALID_TRANSITION') || error.details?.state !== 'rewarded') throw error;
      throw new DomainError('CONFLICT', 'The points were issued: a review changes nothing any more.');
    }
  };
}

async function isGone(deps: AttemptDeps & StillThereDeps, attempt: Attempt): Promise<boolean> {
  const found = await requireChallenge(deps.storage, attempt.challengeId);
  return (await goneAmong(deps, found, [attempt])).size > 0;
}

/** Whether storage has seen it since it was gone. A hidden comment is shown again without being read. */
async function isThereAgain({ storage, platforms, clock }: AttemptDeps & StillThereDeps, attempt: Attempt) {
  const found = await requireChallenge(storage, attempt.challengeId);
  const isHidden = attempt.matchedComment?.removed?.how === 'hidden';
  const since = isHidden ? new Date(0) : (attempt.removedAt ?? clock.now());
  const seen = readSince(storage, platforms.describe(found.challenge.platform), { since });
  return (await withoutAnother({ ...seen, creators: storage.creators }, found, [attempt])).length === 0;
}
