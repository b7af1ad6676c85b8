/**
 * The state machine of an attempt as a pure function. Attempt, command and facts give the next attempt and what to announce or run
 * because of it (docs/specification/engagement.md#states-and-transitions). It reads no clock and no storage.
 */
import { DomainError } from '../../errors.ts';
import { isErased } from '../creators/erased.ts';
import type { UnmetRule } from '../rules/unmet-rules.ts';
import { attemptEntry } from '../webhooks/message-id.ts';
import type { OutboxEntry } from '../webhooks/outbox.ts';
import { type Attempt, type MatchedComment, type NewAttempt, REVIEWED } from './attempt.ts';
import type { AttemptCommand, AttemptContext, Decision } from './attempt-command.ts';
import { attemptEvent, unmetIn } from './attempt-events.ts';
import { campaignInactive, deadlineOfClaim, effectiveDeadline, expiresAt, isOpen, timeOfRecheck } from './deadline.ts';
import { gone, heldUntil, recheckedAt, withoutNote } from './keeping.ts';
import type { AttemptCommandType } from './states.ts';
import { type AttemptState, rulesOf, statesThatTake, takes } from './states.ts';

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
  return move(attempt, context, 'verified', reason, changes, [announcement(attempt.id, comment, context)]);
}

/** A verified attempt that is stored as rewarded at once: no crash can come between the two states. */
export function rewarded(attempt: NewAttempt, context: AttemptContext): NewAttempt {
  const { reason, changes } = rewardOf(attempt, context);
  return moved(attempt, context, 'rewarded', reason, changes);
}

/** What a verified attempt that is stored at once announces, and its job. */
export function verifiedOutbox(
  attemptId: number,
  attempt: NewAttempt,
  context: AttemptContext,
): readonly OutboxEntry[] {
  return [announcement(attemptId, attempt.matchedComment, context), ...jobsOf('verified', attemptId, context)];
}

/** What such an attempt announces, in this order. */
export function rewardedOutbox(
  attemptId: number,
  attempt: NewAttempt,
  context: AttemptContext,
): readonly OutboxEntry[] {
  return [announcement(attemptId, attempt.matchedComment, context), rewardAnnouncement(attemptId, context)];
}

function announcement(attemptId: number, comment: MatchedComment | null, context: AttemptContext): OutboxEntry {
  const extra = comment ? { commentText: comment.commentText } : {};
  return attemptEntry(attemptEvent(context, attemptId, context.now, 'creator.verified', extra));
}

function withNote(reason: string, note: string | null | undefined): string {
  return note == null ? reason : `${reason}: ${note}`;
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
  const event = attemptEvent(context, attempt.id, context.now, 'verification.failed', {
    reason: rulesOf(to).terminal ? 'terminal' : 'retryable',
    ...unmetIn({ ...attempt, ...changes }),
  });
  return move(attempt, context, to, reason, { ...changes, recheck: null }, [attemptEntry(event)]);
}

function reward(attempt: Attempt, context: AttemptContext): Decision {
  const { reason, changes } = rewardOf(attempt, context);
  const released = attempt.held == null ? changes : { held: null, checkAt: null, ...changes };
  return move(attempt, context, 'rewarded', reason, released, [rewardAnnouncement(attempt.id, context)]);
}

/** No job waits: who finds room again, or an end of the reason, starts it. */
function hold(
  attempt: Attempt,
  context: AttemptContext,
  { why, note, checkAt = null, removal }: Extract<AttemptCommand, { readonly type: 'hold' }>,
): Decision {
  if (removal !== undefined) return { kind: 'moved', ...gone(attempt, { at: context.now, how: removal }, context) };
  const isSame = attempt.held?.why === why && attempt.held.note === note;
  // Without a line for each look at it. The revision tells others who decide at the same time.
  if (isSame) return { kind: 'moved', after: { ...attempt, checkAt, revision: attempt.revision + 1 }, outbox: [] };
  const held = { why, since: context.now, ...(note !== undefined && { note }) };
  const after = moved(attempt, context, attempt.state, withNote(`reward held: ${why}`, note), { held, checkAt });
  return { kind: 'moved', after, outbox: [] };
}

/** Approved, the reward is decided again: a limit, say, may still hold it. */
function review(
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
    const changes = { review: decided, held, checkAt: null };
    return { kind: 'moved', after: moved(attempt, context, attempt.state, reason, changes), outbox: [] };
  }
  if (attempt.held?.why === 'holding') return approveKept(attempt, context, decided, reason);
  const isWaiting = attempt.held == null || ['review', 'refused', 'taken'].includes(attempt.held.why);
  if (isWaiting) return move(attempt, context, attempt.state, reason, { review: decided, held: null });
  return { kind: 'moved', after: moved(attempt, context, attempt.state, reason, { review: decided }), outbox: [] };
}

/** It may be that no check can tell whether the comment or like is there. After its time the word of who approves counts instead. */
function approveKept(attempt: Attempt, context: AttemptContext, review: Review, reason: string): Decision {
  const { now, campaign } = context;
  const until = heldUntil(attempt, campaign.terms);
  if (until !== null && now < until) {
    const message = `The comment or like has to stay until ${until.toISOString()}: approve the reward after that.`;
    return { kind: 'refused', error: new DomainError('CONFLICT', message) };
  }
  const changes = { review, held: null, checkAt: null, lastVerificationAt: now };
  return move(attempt, context, attempt.state, reason, changes);
}

function rewardOf(attempt: NewAttempt, { campaign, now }: AttemptContext) {
  const points = campaign.pointsReward;
  const checkAt = recheckedAt({ ...attempt, rewardedAt: now }, campaign.terms);
  const changes = { pointsAwarded: points, rewardedAt: now, ...(checkAt !== null && { checkAt }) };
  return { reason: `reward issued: ${points} points`, changes };
}

function rewardAnnouncement(attemptId: number, context: AttemptContext): OutboxEntry {
  const points = context.campaign.pointsReward;
  return attemptEntry(attemptEvent(context, attemptId, context.now, 'reward.issued', { points }));
}

function move(
  attempt: Attempt,
  context: AttemptContext,
  to: AttemptState,
  reason: string,
  changes: Partial<Attempt> = {},
  events: readonly OutboxEntry[] = [],
): Decision {
  const after = moved(attempt, context, to, reason, changes);
  return { kind: 'moved', after, outbox: [...events, ...jobsOf(to, attempt.id, context)] };
}

function moved<A extends NewAttempt>(
  attempt: A,
  context: AttemptContext,
  to: AttemptState,
  reason: string,
  changes: Partial<NewAttempt>,
): A {
  return {
    ...attempt,
    ...changes,
    state: to,
    stateHistory: [...attempt.stateHistory, { state: to, at: context.now, reason }],
    // The handle that events named last, so that a later redelivery names the same one.
    metadata: { ...attempt.metadata, platformUsername: context.username },
    updatedAt: context.now,
    revision: attempt.revision + 1,
  };
}

/** The job that an attempt in this state waits for. */
function jobsOf(state: AttemptState, attemptId: number, { newId }: AttemptContext): readonly OutboxEntry[] {
  const type = rulesOf(state).awaits;
  return type === null ? [] : [{ id: newId(), kind: 'job', job: { type, attemptId } }];
}

function conflict(message: string): Decision {
  return { kind: 'refused', error: new DomainError('CONFLICT', message) };
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
