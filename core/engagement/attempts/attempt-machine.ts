/**
 * The state machine of an attempt as a pure function. Attempt, command and facts give the next attempt and what to announce or run
 * because of it (docs/specification/engagement.md#states-and-transitions). It reads no clock and no storage.
 */
import { DomainError } from '../../errors.ts';
import { isErased } from '../creators/erased.ts';
import type { UnmetRule } from '../rules/unmet-rules.ts';
import type { Attempt, MatchedComment, NewAttempt } from './attempt.ts';
import type { AttemptCommand, AttemptContext, Decision } from './attempt-command.ts';
import { campaignInactive, deadlineOfClaim, effectiveDeadline, expiresAt, isOpen, timeOfRecheck } from './deadline.ts';
import { hold, review } from './held-rewards.ts';
import { recheckedAt } from './keeping.ts';
import { conflict, move, moved, withNote } from './next-state.ts';
import { type AttemptCommandType, statesThatTake, takes } from './states.ts';

/**
 * Decides what a command does to an attempt.
 *
 * Refusals are `INVALID_TRANSITION` (wrong state; `details` hold `state` and `allowedFrom`), `CAMPAIGN_INACTIVE` (a claim
 * after the campaign ended or before it starts) and `CONFLICT` (a claim or `force-verify` of an erased creator's attempt). These
 * commands change nothing: `open-target` on an opened target, `issue-reward` on a rewarded attempt, `expire` before the
 * deadline, and `recheck` before it is due.
 */
export function decide(attempt: Attempt, command: AttemptCommand, context: AttemptContext): Decision {
  if (command.type === 'open-target' && attempt.state === 'target_opened') return { kind: 'unchanged' };
  if (command.type === 'issue-reward' && attempt.state === 'rewarded') return { kind: 'unchanged' };
  if (!takes(attempt.state, command.type)) return refuse(attempt, command.type);
  if (isErased(attempt) && (command.type === 'claim' || command.type === 'force-verify')) {
    return conflict('The creator was erased: nobody is paid for this attempt any more.');
  }
  switch (command.type) {
    case 'open-target':
      return move(attempt, context, 'target_opened', 'target opened');
    case 'claim':
      return claim(attempt, context, command.why);
    case 'record-match':
      return verify(attempt, context, command.comment, withNote('match found', command.note), {
        lastVerificationAt: context.now,
        ...(command.signals && { signals: command.signals }),
      });
    case 'record-no-match':
      return noMatch(attempt, context, command);
    case 'hand-back':
      return handBack(attempt, context, command);
    case 'recheck':
      return recheck(attempt, context, command.isNews);
    case 'expire':
      return expire(attempt, context);
    case 'force-verify':
      return verify(attempt, context, command.comment, 'verified by an admin', {});
    case 'issue-reward':
      return reward(attempt, context);
    case 'hold':
      return hold(attempt, context, command);
    case 'review':
      return review(attempt, context, command);
  }
}

function claim(attempt: Attempt, context: AttemptContext, why?: string): Decision {
  const { now, campaign } = context;
  if (!isOpen(campaign, now)) {
    return { kind: 'refused', error: campaignInactive(campaign.id) };
  }
  const isRetry = attempt.state === 'failed_retryable';
  return move(attempt, context, 'verification_pending', why ?? (isRetry ? 'claimed again' : 'claimed'), {
    retryCount: attempt.retryCount + (isRetry ? 1 : 0),
    verificationDeadline: deadlineOfClaim(attempt, campaign, now),
    recheck: null,
  });
}

function handBack(
  attempt: Attempt,
  context: AttemptContext,
  { why, recheckInMs, unmet }: Extract<AttemptCommand, { readonly type: 'hand-back' }>,
): Decision {
  const at = timeOfRecheck(effectiveDeadline(attempt, context.campaign), context.now, recheckInMs);
  const count = (attempt.recheck?.count ?? 0) + 1;
  return move(attempt, context, 'awaiting_claim', why, { recheck: { at, count, why }, ...missed(attempt, unmet) });
}

function recheck(attempt: Attempt, context: AttemptContext, isNews = false): Decision {
  const deadline = effectiveDeadline(attempt, context.campaign);
  if (deadline !== null && deadline <= context.now) return expire(attempt, context);
  if (attempt.recheck === null || (!isNews && context.now < attempt.recheck.at)) return { kind: 'unchanged' };
  return move(attempt, context, 'verification_pending', 'checked again');
}

function verify(
  attempt: Attempt,
  context: AttemptContext,
  comment: MatchedComment | null,
  reason: string,
  extra: Partial<Attempt>,
): Decision {
  const changes = {
    ...extra,
    matchedComment: comment,
    verifiedAt: context.now,
    recheck: null,
    ...missed(attempt, null),
  };
  return move(attempt, context, 'verified', reason, changes, ['creator.verified']);
}

/** A verified attempt that is stored as rewarded at once: no crash can come between the two states. */
export function rewarded(attempt: NewAttempt, context: AttemptContext): NewAttempt {
  const { reason, changes } = rewardOf(attempt, context);
  return moved(attempt, context, 'rewarded', reason, changes);
}

/** What the creator's nearest comment does not meet. Without any, nothing is left of an earlier check. */
function missed({ unmetRules }: Attempt, unmet: readonly UnmetRule[] | null | undefined): Pick<Attempt, 'unmetRules'> {
  if (unmet != null) return { unmetRules: unmet };
  return unmetRules == null ? {} : { unmetRules: null };
}

function noMatch(
  attempt: Attempt,
  context: AttemptContext,
  { why, unmet }: Extract<AttemptCommand, { readonly type: 'record-no-match' }>,
): Decision {
  const deadline = effectiveDeadline(attempt, context.campaign);
  const inTime = deadline === null || context.now < deadline;
  const changes = { lastVerificationAt: context.now, ...missed(attempt, unmet) };
  if (inTime && attempt.retryCount < attempt.maxRetries) {
    return fail(attempt, context, 'failed_retryable', withNote('no match found', why), changes);
  }
  const reason = inTime ? 'no match found, no retries left' : 'no match found before the deadline';
  return fail(attempt, context, 'failed_terminal', withNote(reason, why), changes);
}

function expire(attempt: Attempt, context: AttemptContext): Decision {
  const deadline = effectiveDeadline(attempt, context.campaign);
  if (deadline === null) return { kind: 'unchanged' };
  if (context.now < expiresAt(attempt, deadline)) return { kind: 'unchanged' };
  const undecided = attempt.recheck === null ? '' : `, claim undecided: ${attempt.recheck.why}`;
  return fail(attempt, context, 'failed_terminal', `verification deadline passed${undecided}`);
}

function fail(
  attempt: Attempt,
  context: AttemptContext,
  to: 'failed_retryable' | 'failed_terminal',
  reason: string,
  changes: Partial<Attempt> = {},
): Decision {
  return move(attempt, context, to, reason, { ...changes, recheck: null }, ['verification.failed']);
}

function reward(attempt: Attempt, context: AttemptContext): Decision {
  const { reason, changes } = rewardOf(attempt, context);
  const released = attempt.held == null ? changes : { held: null, checkAt: null, ...changes };
  return move(attempt, context, 'rewarded', reason, released, ['reward.issued']);
}

function rewardOf(attempt: NewAttempt, { campaign, now }: AttemptContext) {
  const points = campaign.pointsReward;
  const checkAt = recheckedAt({ ...attempt, rewardedAt: now }, campaign.terms);
  const changes = { pointsAwarded: points, rewardedAt: now, ...(checkAt !== null && { checkAt }) };
  return { reason: `reward issued: ${points} points`, changes };
}

/** What callers know commands by, if by another name: the actions of `progressAttempt`. */
const KNOWN_AS: Readonly<Partial<Record<AttemptCommandType, string>>> = {
  'open-target': 'target_opened',
  claim: 'claim_completion',
};

function refuse(attempt: Attempt, command: AttemptCommandType): Decision {
  const allowedFrom = statesThatTake(command);
  const message = `An attempt in state "${attempt.state}" does not take "${KNOWN_AS[command] ?? command}"; it is possible from: ${allowedFrom.join(', ')}.`;
  const error = new DomainError('INVALID_TRANSITION', message, {
    details: { attemptId: attempt.id, state: attempt.state, allowedFrom },
  });
  return { kind: 'refused', error };
}
