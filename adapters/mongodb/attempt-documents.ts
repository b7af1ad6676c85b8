import type { UpdateFilter } from 'mongodb';
import type { Attempt, NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { AttemptDocument } from './documents.ts';
import { checked, fromJson, integer } from './values.ts';

export function newAttemptDocument(id: number, attempt: NewAttempt, outbox: readonly OutboxEntry[]): AttemptDocument {
  return {
    _id: id,
    ...checked(attempt),
    userId: integer(attempt.userId),
    challengeId: integer(attempt.challengeId),
    metadata: JSON.stringify(attempt.metadata),
    outbox: [...outbox],
    ...(outbox.length === 0 ? {} : { outboxAt: attempt.updatedAt }),
  };
}

/** The state and its outbox entries in one update of one document: both are written, or neither. */
export function transitionUpdate(after: Attempt, outbox: readonly OutboxEntry[]): UpdateFilter<AttemptDocument> {
  const { id, userId, challengeId, createdAt, metadata, ...changing } = after;
  return {
    $set: { ...checked(changing), metadata: JSON.stringify(metadata) },
    ...(outbox.length === 0 ? {} : { $push: { outbox: { $each: [...outbox] } }, $min: { outboxAt: after.updatedAt } }),
  };
}

export function toAttempt(document: AttemptDocument): Attempt {
  const { _id, metadata, outbox, outboxAt, ...rest } = document;
  return { id: _id, ...rest, metadata: fromJson<Record<string, unknown>>(metadata) };
}
