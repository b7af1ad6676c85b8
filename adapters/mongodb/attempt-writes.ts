/** Writes attempts. See `attempt-gate.ts` for the race with the campaign's deletion. */
import type { Attempt, NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import { wasErased } from '../../core/engagement/creators/erased.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { CreateAttemptResult } from '../../core/ports/attempt-store.ts';
import { openGate, settleGate } from './attempt-gate.ts';
import type { Database } from './items.ts';
import { added, kept } from './outbox.ts';
import { integer } from './values.ts';

interface AttemptInput {
  readonly attempt: NewAttempt;
  readonly outbox: (attemptId: number) => readonly OutboxEntry[];
}

/** Attempts at one challenge; results in input order. */
export async function createAttempts(db: Database, inputs: readonly AttemptInput[]): Promise<CreateAttemptResult[]> {
  const { attempts } = db;
  const first = inputs[0];
  if (first === undefined) return [];
  const challengeId = integer(first.attempt.challengeId);
  if (inputs.some(({ attempt }) => attempt.challengeId !== challengeId)) {
    throw new RangeError('Attempts that are created together belong to one challenge.');
  }
  const gone = (): CreateAttemptResult[] => inputs.map(() => ({ kind: 'challenge-gone' }));
  const gate = await openGate(db, challengeId);
  if (gate === 'gone') return gone();

  const firstId = await attempts.reserve(inputs.length);
  const documents = inputs.map(({ attempt, outbox }, index) => ({
    _id: firstId + index,
    ...attempt,
    userId: integer(attempt.userId),
    metadata: JSON.stringify(attempt.metadata),
    ...kept(outbox(firstId + index), attempt.updatedAt),
  }));
  const inserted = new Set((await attempts.insertMissing(documents)).map(({ _id }) => _id));
  if (inserted.size > 0 && gate === 'open' && !(await settleGate(db, challengeId))) {
    await attempts.deleteAll({ _id: { $in: [...inserted] } });
    return gone();
  }
  // An erasure that has not got so far finds the new attempts.
  const ids = documents.map(({ userId }) => userId);
  const creators = await db.creators.list({ _id: { $in: ids }, externalId: { $regex: '^erased-' } });
  const erased = creators.filter(wasErased).map(({ id }) => id);
  if (erased.length > 0) await attempts.deleteAll({ _id: { $in: [...inserted] }, userId: { $in: erased } });
  const others = documents.filter(({ _id }) => !inserted.has(_id)).map(({ userId }) => userId);
  const read = others.length === 0 ? [] : await attempts.list({ challengeId, userId: { $in: others } });
  const stored = new Map(read.map((attempt) => [attempt.userId, attempt]));
  return documents.map((document): CreateAttemptResult => {
    if (erased.includes(document.userId)) return { kind: 'challenge-gone' };
    if (inserted.has(document._id)) return { kind: 'created', attempt: attempts.toItem(document) };
    const other = stored.get(document.userId);
    return other === undefined ? { kind: 'challenge-gone' } : { kind: 'exists', attempt: other };
  });
}

/** The state and its outbox entries in one update of one document: both are written, or neither. */
export function transitionUpdate(after: Attempt, outbox: readonly OutboxEntry[]) {
  const { id, userId, challengeId, createdAt, metadata, ...changing } = after;
  return { $set: { ...changing, metadata: JSON.stringify(metadata) }, ...added(outbox, after.updatedAt) };
}
