import { DomainError, isDomainError } from '../../errors.ts';
import type { Attempt, Review } from './attempt.ts';
import { type AttemptRef, getAttempt } from './find-attempt.ts';
import { lastHandle } from './load-facts.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';

/**
 * A person decides about the reward of a verified attempt: holds it, approves it, or refuses it. The latest decision counts.
 * @throws DomainError `NOT_FOUND`; `INVALID_TRANSITION` before the verification; `CONFLICT` after the reward, if what was verified is gone, or
 * for an approval while it has to be kept
 */
export function reviewAttempt(deps: AttemptDeps) {
  return async (
    input: AttemptRef & Pick<Review, 'decision' | 'reason' | 'by'>,
  ): Promise<Attempt & { readonly review: Review }> => {
    const { decision, reason, by } = input;
    const attempt = await getAttempt(deps)(input);
    const review = { decision, reason, by, at: deps.clock.now() };
    const move = { command: { type: 'review', review }, username: lastHandle(attempt) } as const;
    try {
      return { ...(await moveAttempt(deps, attempt, move)).after, review };
    } catch (error) {
      if (!isDomainError(error, 'INVALID_TRANSITION') || error.details?.state !== 'rewarded') throw error;
      throw new DomainError('CONFLICT', 'The points were issued: a review changes nothing any more.');
    }
  };
}
