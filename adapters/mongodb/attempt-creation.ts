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
import { integer, integers } from './values.ts';

export interface AttemptInput {
  readonly attempt: NewAttempt;
  readonly outbox: (attemptId: number) => readonly OutboxEntry[];
}

/** Attempts at one challenge; results in input order. Callers have looked for attempts just now, so few are there already. */
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
  const tried = new Set<number>();
  const missing = inputs.filter(({ attempt: { userId } }) => {
    const isNew = !tried.has(userId);
    tried.add(userId);
    return isNew;
  });
  const firstId = missing.length === 0 ? 0 : await reserveIds(db, 'attempts', missing.length);
  const documents = missing.map(({ attempt, outbox }, index) =>
    newAttemptDocument(firstId + index, attempt, outbox(firstId + index)),
  );
  const inserted = await insertMissing(db, 'attempts', documents, ['challengeId', 'userId']);
  if (inserted.size > 0 && gate === 'open' && !(await settleGate(db, challengeId))) {
    await attempts.deleteMany({ _id: { $in: [...inserted] } });
    return gone();
  }

  const fresh = new Set(inserted);
  const own = new Map(documents.filter(({ _id }) => inserted.has(_id)).map((attempt) => [attempt.userId, attempt]));
  // Only what others have stored has to be read.
  const others = inputs.map(({ attempt }) => attempt).filter(({ userId }) => !own.has(userId));
  const userId = { $in: integers(others.map((one) => one.userId)) };
  const read = others.length === 0 ? [] : await attempts.find({ challengeId, userId }).toArray();
  const stored = new Map([...own, ...read.map((attempt) => [attempt.userId, attempt] as const)]);
  return inputs.map(({ attempt }): CreateAttemptResult => {
    const document = stored.get(attempt.userId);
    if (document === undefined) return { kind: 'challenge-gone' };
    // Named twice in one call: the first one created it.
    return { kind: fresh.delete(document._id) ? 'created' : 'exists', attempt: toAttempt(document) };
  });
}
