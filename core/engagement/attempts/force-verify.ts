import type { Stores } from '../../ports/storage.ts';
import { type AttemptRef, getAttempt } from './find-attempt.ts';
import { linksOn, loadAttemptFacts } from './load-facts.ts';
import { createFindMatch } from './matching.ts';
import { type AttemptDeps, type Moved, moveAttempt } from './move-attempt.ts';

/**
 * An admin declares the attempt verified; the reward follows as after any verification. When a comment of the creator that meets the
 * rules is stored already it becomes the matched comment, so that the announcement can quote it.
 * @throws DomainError `NOT_FOUND`; `INVALID_TRANSITION` for a verified, rewarded or terminally failed attempt
 */
export function forceVerify(deps: AttemptDeps & Stores<'comments' | 'likers'>) {
  const findMatch = createFindMatch(deps.storage);
  return async (input: AttemptRef): Promise<Moved> => {
    const attempt = await getAttempt(deps, input);
    const facts = await loadAttemptFacts(deps.storage, attempt);
    const links = linksOn(await deps.storage.creators.accountsOf(attempt.userId), facts.challenge);
    const found = await findMatch(facts, links);
    return moveAttempt(deps, attempt, {
      command: { type: 'force-verify', comment: found?.match.comment ?? null },
      username: found?.link.platformUsername,
      facts,
    });
  };
}
