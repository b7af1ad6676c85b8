/**
 * The state machine of an attempt as a pure function: attempt + command + facts -> the next attempt and what has to be
 * announced or run because of it (docs/specification/engagement.md#states-and-transitions). It reads no clock and no storage.
 */
import { DomainError } from '../../errors.ts';
import type { OutboxEntry } from '../webhooks/outbox.ts';
import type { Attempt, AttemptState, MatchedComment } from './attempt.ts';
import { attemptEvent, type EventFacts } from './attempt-events.ts';

export type AttemptCommand =
  /** The creator went to the post. */
  | { readonly type: 'open-target' }
  /** The creator says it is done: verify. */
  | { readonly type: 'claim' }
  /** Verification found the creator; `comment` is null for a like. */
  | { readonly type: 'record-match'; readonly comment: MatchedComment | null }
  /** Verification read the post and did not find the creator. */
  | { readonly type: 'record-no-match' }
  /**
   * The verification came to no decision, which says nothing about the creator: the claim is handed back, and checked again
   * after `recheckInMs`, or just before the deadline if that is sooner. `why` is a short reason for the history.
   */
  | { readonly type: 'hand-back'; readonly why: string; readonly recheckInMs: number }
  /** The time of the next check has come. */
  | { readonly type: 'recheck' }
  /** The verification deadline has passed. */
  | { readonly type: 'expire' }
  | { readonly type: 'force-verify'; readonly comment: MatchedComment | null }
  | { readonly type: 'issue-reward' };

export type AttemptCommandType = AttemptCommand['type'];

export interface AttemptContext extends EventFacts {
  readonly now: Date;
  /** Makes the unique id of an outbox entry. */
  readonly newId: () => string;
}

export type Decision =
  | { readonly kind: 'moved'; readonly after: Attempt; readonly outbox: readonly OutboxEntry[] }
  /** The command was carried out before; there is nothing to write. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly error: DomainError };

/** How long a creator has from the first claim on, unless the campaign ends first. */
export const VERIFICATION_WINDOW_MS = 7 * 24 * 60 * 60 * 1000;
/**
 * A verification that is under way at the deadline may still finish: the claim was made in time. After this grace a
 * pending attempt is taken for lost and expires like the others.
 */
export const PENDING_GRACE_MS = 10 * 60 * 1000;
/** An undecided claim is checked a last time this long before its deadline. */
export const LAST_CHECK_BEFORE_MS = 10 * 60 * 1000;

/** The states from which each command moves an attempt; a command from any other state is refused or changes nothing. */
export const COMMAND_SOURCES: Readonly<Record<AttemptCommandType, readonly AttemptState[]>> = {
  'open-target': ['created', 'target_opened', 'awaiting_claim'],
  claim: ['created', 'target_opened', 'awaiting_claim', 'failed_retryable'],
  'record-match': ['verification_pending'],
  'record-no-match': ['verification_pending'],
  'hand-back': ['verification_pending'],
  recheck: ['awaiting_claim', 'target_opened'],
  expire: ['created', 'target_opened', 'awaiting_claim', 'verification_pending', 'failed_retryable'],
  'force-verify': ['created', 'target_opened', 'awaiting_claim', 'verification_pending', 'failed_retryable'],
  'issue-reward': ['verified'],
};

/**
 * Decides what a command does to an attempt.
 *
 * Refusals are `INVALID_TRANSITION` (wrong state; `details` hold `state` and `allowedFrom`) and `CAMPAIGN_INACTIVE` (a claim
 * after the campaign ended or before it starts). `open-target` on an opened target, `issue-reward` on a rewarded attempt,
 * `expire` on an attempt that is not overdue and `recheck` on one that is not due change nothing.
 */
export function decide(attempt: Attempt, command: AttemptCommand, context: AttemptContext): Decision {
  if (command.type === 'open-target' && attempt.state === 'target_opened') return { kind: 'unchanged' };
  if (command.type === 'issue-reward' && attempt.state === 'rewarded') return { kind: 'unchanged' };
  const sources = COMMAND_SOURCES[command.type];
  if (!sources.includes(attempt.state)) return refuse(attempt, command.type, sources);
  switch (command.type) {
    case 'open-target':
      return move(attempt, context, 'target_opened', 'target opened');
    case 'claim':
      return claim(attempt, context);
    case 'record-match':
      return verify(attempt, context, command.comment, 'match found', { lastVerificationAt: context.now });
    case 'record-no-match':
      return noMatch(attempt, context);
    case 'hand-back':
      return handBack(attempt, context, command);
    case 'recheck':
      return recheck(attempt, context);
    case 'expire':
      return expire(attempt, context);
    case 'force-verify':
      return verify(attempt, context, command.comment, 'verified by an admin', {});
    case 'issue-reward':
      return reward(attempt, context);
  }
}

/** When a claimed attempt runs out: its own deadline or the campaign's end, which may have been moved forward since. */
export function effectiveDeadline(attempt: Attempt, campaign: { readonly endsAt: Date | null }): Date | null {
  return attempt.verificationDeadline && earlier(attempt.verificationDeadline, campaign.endsAt);
}

/** True while the campaign takes attempts and claims: active and inside its dates. */
export function isOpen(
  campaign: { readonly isActive: boolean; readonly startsAt: Date | null; readonly endsAt: Date | null },
  now: Date,
): boolean {
  return (
    campaign.isActive &&
    (campaign.startsAt === null || campaign.startsAt <= now) &&
    (campaign.endsAt === null || now < campaign.endsAt)
  );
}

function claim(attempt: Attempt, context: AttemptContext): Decision {
  const { now, campaign } = context;
  if (!isOpen(campaign, now)) {
    return { kind: 'refused', error: campaignInactive(campaign.id) };
  }
  const isRetry = attempt.state === 'failed_retryable';
  const windowEnd = new Date(now.getTime() + VERIFICATION_WINDOW_MS);
  return startVerification(attempt, context, isRetry ? 'claimed again' : 'claimed', {
    retryCount: attempt.retryCount + (isRetry ? 1 : 0),
    verificationDeadline: attempt.verificationDeadline ?? earlier(windowEnd, campaign.endsAt),
    recheck: null,
  });
}

function startVerification(
  attempt: Attempt,
  context: AttemptContext,
  reason: string,
  changes: Partial<Attempt> = {},
): Decision {
  const job = { type: 'verify-attempt', attemptId: attempt.id } as const;
  return move(attempt, context, 'verification_pending', reason, changes, [{ id: context.newId(), kind: 'job', job }]);
}

function handBack(
  attempt: Attempt,
  context: AttemptContext,
  { why, recheckInMs }: Extract<AttemptCommand, { readonly type: 'hand-back' }>,
): Decision {
  const now = context.now.getTime();
  const deadline = effectiveDeadline(attempt, context.campaign)?.getTime() ?? Infinity;
  const lastCheck = deadline - LAST_CHECK_BEFORE_MS;
  const at = Math.min(now + recheckInMs, now < lastCheck ? lastCheck : deadline);
  const count = (attempt.recheck?.count ?? 0) + 1;
  return move(attempt, context, 'awaiting_claim', why, { recheck: { at: new Date(at), count, why } });
}

function recheck(attempt: Attempt, context: AttemptContext): Decision {
  const deadline = effectiveDeadline(attempt, context.campaign);
  if (deadline !== null && deadline <= context.now) return expire(attempt, context);
  if (attempt.recheck === null || context.now < attempt.recheck.at) return { kind: 'unchanged' };
  return startVerification(attempt, context, 'checked again');
}

function verify(
  attempt: Attempt,
  context: AttemptContext,
  comment: MatchedComment | null,
  reason: string,
  extra: Partial<Attempt>,
): Decision {
  const changes = { ...extra, matchedComment: comment, verifiedAt: context.now, recheck: null };
  return move(attempt, context, 'verified', reason, changes, verifiedOutbox(attempt.id, comment, context));
}

/** What follows from becoming verified: the announcement, then the reward. */
export function verifiedOutbox(
  attemptId: number,
  comment: MatchedComment | null,
  context: AttemptContext,
): readonly OutboxEntry[] {
  const event = attemptEvent(
    context,
    attemptId,
    context.now,
    'creator.verified',
    comment ? { commentText: comment.commentText } : {},
  );
  return [
    { id: context.newId(), kind: 'event', event },
    { id: context.newId(), kind: 'job', job: { type: 'issue-reward', attemptId } },
  ];
}

function noMatch(attempt: Attempt, context: AttemptContext): Decision {
  const deadline = effectiveDeadline(attempt, context.campaign);
  const inTime = deadline === null || context.now < deadline;
  if (inTime && attempt.retryCount < attempt.maxRetries) {
    return fail(attempt, context, 'failed_retryable', 'no match found', { lastVerificationAt: context.now });
  }
  const reason = inTime ? 'no match found, no retries left' : 'no match found before the deadline';
  return fail(attempt, context, 'failed_terminal', reason, { lastVerificationAt: context.now });
}

function expire(attempt: Attempt, context: AttemptContext): Decision {
  const deadline = effectiveDeadline(attempt, context.campaign);
  if (deadline === null) return { kind: 'unchanged' };
  const grace = attempt.state === 'verification_pending' ? PENDING_GRACE_MS : 0;
  if (context.now.getTime() < deadline.getTime() + grace) return { kind: 'unchanged' };
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
    reason: to === 'failed_retryable' ? 'retryable' : 'terminal',
  });
  return move(attempt, context, to, reason, { ...changes, recheck: null }, [
    { id: context.newId(), kind: 'event', event },
  ]);
}

function reward(attempt: Attempt, context: AttemptContext): Decision {
  const points = context.campaign.pointsReward;
  const event = attemptEvent(context, attempt.id, context.now, 'reward.issued', { points });
  const changes = { pointsAwarded: points, rewardedAt: context.now };
  return move(attempt, context, 'rewarded', `reward issued: ${points} points`, changes, [
    { id: context.newId(), kind: 'event', event },
  ]);
}

function move(
  attempt: Attempt,
  context: AttemptContext,
  to: AttemptState,
  reason: string,
  changes: Partial<Attempt> = {},
  outbox: readonly OutboxEntry[] = [],
): Decision {
  const after: Attempt = {
    ...attempt,
    ...changes,
    state: to,
    stateHistory: [...attempt.stateHistory, { state: to, at: context.now, reason }],
    // The handle that events named last, so that a later redelivery names the same one.
    metadata: { ...attempt.metadata, platformUsername: context.username },
    updatedAt: context.now,
    revision: attempt.revision + 1,
  };
  return { kind: 'moved', after, outbox };
}

function refuse(attempt: Attempt, command: AttemptCommandType, allowedFrom: readonly AttemptState[]): Decision {
  const message = `An attempt in state "${attempt.state}" does not take "${command}"; it is possible from: ${allowedFrom.join(', ')}.`;
  const error = new DomainError('INVALID_TRANSITION', message, {
    details: { attemptId: attempt.id, state: attempt.state, allowedFrom },
  });
  return { kind: 'refused', error };
}

/** The refusal of an attempt or a claim outside a campaign's life. */
export function campaignInactive(campaignId: number): DomainError {
  return new DomainError('CAMPAIGN_INACTIVE', 'The campaign was ended, has not started yet, or is past its end.', {
    details: { campaignId },
  });
}

function earlier(a: Date, b: Date | null): Date {
  return b === null ? a : new Date(Math.min(a.getTime(), b.getTime()));
}
