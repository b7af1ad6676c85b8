/** Rewards that wait: what holds them, and how a person decides. Part of the state machine (`decide`). */
import { type Attempt, REVIEWED, type Review } from './attempt.ts';
import type { AttemptCommand, AttemptContext, Decision } from './attempt-command.ts';
import { gone, heldUntil, withoutNote } from './keeping.ts';
import { conflict, move, noted, stay, withNote } from './next-state.ts';

/** No job waits: who finds room again, or an end of the reason, starts it. */
export function hold(
  attempt: Attempt,
  context: AttemptContext,
  { why, note, checkAt = null, removal }: Extract<AttemptCommand, { readonly type: 'hold' }>,
): Decision {
  if (removal !== undefined) return gone(attempt, { at: context.now, how: removal }, context);
  const isSame = attempt.held?.why === why && attempt.held.note === note;
  // Without a line for each look at it.
  if (isSame) return noted(attempt, { checkAt });
  const held = { why, since: context.now, ...(note !== undefined && { note }) };
  return stay(attempt, context, withNote(`reward held: ${why}`, note), { held, checkAt });
}

/** Approved, the reward is decided again: a limit, say, may still hold it. */
export function review(
  attempt: Attempt,
  context: AttemptContext,
  { review: decided, isBack = false }: Extract<AttemptCommand, { readonly type: 'review' }>,
): Decision {
  const reason = withNote(REVIEWED[decided.decision], decided.reason);
  if (attempt.held?.why === 'gone') {
    const changes = { review: decided, held: null, removedAt: null };
    if (isBack && decided.decision === 'approve') {
      return move(withoutNote(attempt), context, attempt.state, reason, changes);
    }
    return conflict('The comment or like is gone. It can be approved once a reading shows it again.');
  }
  if (decided.decision !== 'approve') {
    const held = { why: decided.decision === 'hold' ? 'review' : 'refused', since: context.now } as const;
    return stay(attempt, context, reason, { review: decided, held, checkAt: null });
  }
  if (attempt.held?.why === 'holding') return approveKept(attempt, context, decided, reason);
  const isWaiting = attempt.held == null || ['review', 'refused', 'taken'].includes(attempt.held.why);
  if (isWaiting) return move(attempt, context, attempt.state, reason, { review: decided, held: null });
  return stay(attempt, context, reason, { review: decided });
}

/** It may be that no check can tell whether the comment or like is there. After its time the word of who approves counts instead. */
function approveKept(attempt: Attempt, context: AttemptContext, review: Review, reason: string): Decision {
  const { now, campaign } = context;
  const until = heldUntil(attempt, campaign.terms);
  if (until !== null && now < until) {
    const message = `The comment or like has to stay until ${until.toISOString()}: approve the reward after that.`;
    return conflict(message);
  }
  const changes = { review, held: null, checkAt: null, lastVerificationAt: now };
  return move(attempt, context, attempt.state, reason, changes);
}
