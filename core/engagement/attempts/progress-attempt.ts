import type { Attempt } from './attempt.ts';
import { type AttemptRef, getAttempt } from './find-attempt.ts';
import { loadAttemptFacts } from './load-facts.ts';
import { type AttemptDeps, moveAttempt } from './move-attempt.ts';
import { takes } from './states.ts';

export const PROGRESS_ACTIONS = ['target_opened', 'claim_completion'] as const;

/**
 * Moves an attempt on for its creator: the post was opened, or the creator claims to be done, which starts a verification.
 * An attempt whose deadline has passed fails for good first.
 * @throws DomainError `NOT_FOUND`, `INVALID_TRANSITION`, `CAMPAIGN_INACTIVE`
 */
export function progressAttempt(deps: AttemptDeps) {
  return async (input: AttemptRef & { readonly action: (typeof PROGRESS_ACTIONS)[number] }): Promise<Attempt> => {
    const stored = await getAttempt(deps, input);
    const facts = await loadAttemptFacts(deps.storage, stored);
    // Fails if it is overdue, so that it is judged the same before and after the sweep over overdue attempts.
    const mayBeOverdue = stored.verificationDeadline !== null && takes(stored.state, 'expire');
    const attempt = mayBeOverdue
      ? (await moveAttempt(deps, stored, { command: { type: 'expire' }, facts })).after
      : stored;
    const type = input.action === 'target_opened' ? 'open-target' : 'claim';
    return (await moveAttempt(deps, attempt, { command: { type }, facts })).after;
  };
}
