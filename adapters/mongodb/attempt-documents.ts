import type { UpdateFilter } from 'mongodb';
import type { Attempt, NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { AttemptDocument } from './documents.ts';
import { fromJson, instant, instantOrNull, integer, text } from './values.ts';

/** What a transition may change. */
function changing(attempt: NewAttempt) {
  return {
    state: attempt.state,
    retryCount: attempt.retryCount,
    maxRetries: attempt.maxRetries,
    lastVerificationAt: instantOrNull(attempt.lastVerificationAt),
    verificationDeadline: instantOrNull(attempt.verificationDeadline),
    stateHistory: attempt.stateHistory.map(({ state, at, reason }) => ({ state, at: instant(at), reason })),
    recheck:
      attempt.recheck === null
        ? null
        : { at: instant(attempt.recheck.at), count: integer(attempt.recheck.count), why: text(attempt.recheck.why) },
    metadata: JSON.stringify(attempt.metadata),
    matchedComment: attempt.matchedComment,
    pointsAwarded: attempt.pointsAwarded,
    verifiedAt: instantOrNull(attempt.verifiedAt),
    rewardedAt: instantOrNull(attempt.rewardedAt),
    updatedAt: instant(attempt.updatedAt),
    revision: attempt.revision,
  };
}

export function newAttemptDocument(id: number, attempt: NewAttempt, outbox: readonly OutboxEntry[]): AttemptDocument {
  return {
    _id: id,
    userId: integer(attempt.userId),
    challengeId: integer(attempt.challengeId),
    createdAt: instant(attempt.createdAt),
    ...changing(attempt),
    outbox: [...outbox],
    ...(outbox.length === 0 ? {} : { outboxAt: attempt.updatedAt }),
  };
}

/** The state and its outbox entries in one update of one document: both are written, or neither. */
export function transitionUpdate(after: Attempt, outbox: readonly OutboxEntry[]): UpdateFilter<AttemptDocument> {
  return {
    $set: changing(after),
    ...(outbox.length === 0 ? {} : { $push: { outbox: { $each: [...outbox] } }, $min: { outboxAt: after.updatedAt } }),
  };
}

export function toAttempt(document: AttemptDocument): Attempt {
  const { _id, metadata, outbox, outboxAt, ...rest } = document;
  return { id: _id, ...rest, metadata: fromJson<Record<string, unknown>>(metadata) };
}
