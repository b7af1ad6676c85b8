/** Creates attempts, those of concurrent calls together. See `attempt-gate.ts` for the race with the campaign's deletion. */
import type { Db } from 'mongodb';
import type { NewAttempt } from '../../core/engagement/attempts/attempt.ts';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { CreateAttemptResult } from '../../core/ports/attempt-store.ts';
import { newAttemptDocument, toAttempt } from './attempt-documents.ts';
import { openGate, settleGate } from './attempt-gate.ts';
import { reserveIds } from './counters.ts';
import { type AttemptDocument, collection } from './documents.ts';
import { gathered } from './gathered.ts';
import { insertMissing } from './insert-missing.ts';
import { chunks, integer, integers } from './values.ts';

export interface AttemptInput {
  readonly attempt: NewAttempt;
  readonly outbox: (attemptId: number) => readonly OutboxEntry[];
}

/** As `AttemptStore.create`. */
export async function createOne(
  db: Db,
  attempt: NewAttempt,
  outbox: readonly OutboxEntry[],
): Promise<CreateAttemptResult> {
  // Before it joins others: what cannot be stored must fail alone.
  newAttemptDocument(0, attempt, outbox);
  const result = await createJoined(db, { attempt, outbox: () => outbox });
  return result();
}

/** As `AttemptStore.createMany`. */
export async function createMany(db: Db, inputs: readonly AttemptInput[]): Promise<CreateAttemptResult[]> {
  const results: CreateAttemptResult[] = [];
  for (const some of chunks(inputs)) results.push(...(await create(db, some)));
  return results;
}

type ByCreator = Pick<AttemptDocument, 'challengeId' | 'userId'>;

export const findByCreator = gathered<ByCreator, AttemptDocument | null>(async (db, wanted) => {
  const userIds = Map.groupBy(wanted, ({ challengeId }) => challengeId);
  const found = await Promise.all([...userIds].map(([challengeId, of]) => atChallenge(db, challengeId, of)));
  const keyOf = ({ challengeId, userId }: ByCreator) => `${challengeId}:${userId}`;
  const byKey = new Map(found.flat().map((attempt) => [keyOf(attempt), attempt]));
  return wanted.map((one) => byKey.get(keyOf(one)) ?? null);
});

function atChallenge(
  db: Db,
  challengeId: number,
  of: readonly Pick<ByCreator, 'userId'>[],
): Promise<AttemptDocument[]> {
  const userId = { $in: integers(of.map((one) => one.userId)) };
  return collection(db, 'attempts').find({ challengeId, userId }).toArray();
}

/** Calls that come together for one challenge create together. Each result returns what came of it, or throws why not. */
const createJoined = gathered<AttemptInput, () => CreateAttemptResult>(async (db, inputs) => {
  const byChallenge = [...Map.groupBy(inputs, ({ attempt }) => attempt.challengeId).values()];
  const results = await Promise.all(
    byChallenge.map(async (some) => {
      try {
        const made = await create(db, some);
        return some.map((input, index) => [input, () => made[index]] as const);
      } catch (error) {
        const fail = (): never => {
          throw error;
        };
        return some.map((input) => [input, fail] as const);
      }
    }),
  );
  const byInput = new Map(results.flat());
  return inputs.map((input) => () => {
    const result = byInput.get(input)?.();
    if (result === undefined) throw new Error('Creating one attempt gives one result.');
    return result;
  });
});

/** Attempts at one challenge; results in input order. Callers have looked for attempts just now, so few are there already. */
async function create(db: Db, inputs: readonly AttemptInput[]): Promise<CreateAttemptResult[]> {
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
  const read = others.length === 0 ? [] : await atChallenge(db, challengeId, others);
  const stored = new Map([...own, ...read.map((attempt) => [attempt.userId, attempt] as const)]);
  return inputs.map(({ attempt }): CreateAttemptResult => {
    const document = stored.get(attempt.userId);
    if (document === undefined) return { kind: 'challenge-gone' };
    // Named twice in one call: the first one created it.
    return { kind: fresh.delete(document._id) ? 'created' : 'exists', attempt: toAttempt(document) };
  });
}
