/** Creates attempts. See `attempt-gate.ts` for the race with the campaign's deletion. */
import type { Db } from 'mongodb';
import type { NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { CreateAttemptResult } from '../../core/ports/attempt-store.ts';
import { newAttemptDocument, toAttempt } from './attempt-documents.ts';
import { openGate, settleGate } from './attempt-gate.ts';
import { reserveIds } from './counters.ts';
import { collection } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { integer } from './values.ts';

export interface AttemptInput {
  readonly attempt: NewAttempt;
  readonly outbox: (attemptId: number) => readonly OutboxEntry[];
}

/** Attempts at one challenge; results in input order. */
export async function createAttempts(db: Db, inputs: readonly AttemptInput[]): Promise<CreateAttemptResult[]> {
  const first = inputs[0];
  if (first === undefined) return [];
  const challengeId = integer(first.attempt.challengeId);
  if (inputs.some(({ attempt }) => attempt.challengeId !== challengeId)) {
    throw new RangeError('Attempts that are created together belong to one challenge.');
  }
  const gone = (): CreateAttemptResult[] => inputs.map(() => ({ kind: 'challenge-gone' }));
  const gate = await openGate(db, challengeId);
  if (gate === 'gone') return gone();

  const attempts = collection(db, 'attempts');
  const firstId = await reserveIds(db, 'attempts', inputs.length);
  const documents = inputs.map(({ attempt, outbox }, index) =>
    newAttemptDocument(firstId + index, attempt, outbox(firstId + index)),
  );
  const inserted = await insertMissing(db, 'attempts', documents, ['challengeId', 'userId']);
  if (inserted.size > 0 && gate === 'open' && !(await settleGate(db, challengeId))) {
    await attempts.deleteMany({ _id: { $in: [...inserted] } });
    return gone();
  }
  const others = documents.filter(({ _id }) => !inserted.has(_id)).map(({ userId }) => userId);
  const read = others.length === 0 ? [] : await attempts.find({ challengeId, userId: { $in: others } }).toArray();
  const stored = new Map(read.map((attempt) => [attempt.userId, attempt]));
  return documents.map((document): CreateAttemptResult => {
    if (inserted.has(document._id)) return { kind: 'created', attempt: toAttempt(document) };
    const other = stored.get(document.userId);
    return other === undefined ? { kind: 'challenge-gone' } : { kind: 'exists', attempt: toAttempt(other) };
  });
}
