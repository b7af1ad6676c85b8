/** Integer ids: one counter document a collection, seeded at boot, so that `$inc` never has to create it in a race. */
import type { Db } from 'mongodb';
import { type CollectionName, collection } from './documents.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { repeatOnClash } from './repeat.ts';

/** Collections whose ids are counted. */
export const COUNTED = [
  'creators',
  'socialAccounts',
  'brands',
  'campaigns',
  'attempts',
  'comments',
  'metrics',
  'likersFetches',
  'likers',
  'webhooks',
  'deliveries',
  'jobs',
  'tokens',
  'auditLog',
] as const satisfies readonly CollectionName[];

export type CounterName = (typeof COUNTED)[number] | 'challenges';

/** Raises every counter to the highest id in use; also after a restored backup. Never lowers one. Mostly it writes nothing. */
export async function seedCounters(db: Db): Promise<void> {
  const names = [...COUNTED, 'challenges'] as const;
  const counters = await collection(db, 'counters')
    .find({ _id: { $in: names } })
    .project<{ _id: string; value: number }>({ value: 1 })
    .toArray();
  const values = new Map(counters.map(({ _id, value }) => [_id, value]));
  const highest = async (name: CounterName): Promise<number> => {
    if (name === 'challenges') {
      const [last] = await collection(db, 'campaigns').find().sort({ 'challenge.id': -1 }).limit(1).toArray();
      return last?.challenge.id ?? 0;
    }
    const found = db.collection<{ _id: number }>(name).find().sort({ _id: -1 }).limit(1).project({ _id: 1 });
    const [last] = await found.toArray();
    return Number(last?._id ?? 0);
  };
  for (const name of names) {
    const inUse = await highest(name);
    // Counters only grow: one that was high enough still is.
    if (inUse > (values.get(name) ?? -1)) await raise(db, name, inUse);
  }
}

async function raise(db: Db, name: CounterName, value: number): Promise<void> {
  await repeatOnClash(() => collection(db, 'counters').updateOne({ _id: name }, { $max: { value } }, { upsert: true }));
}

interface Reservation {
  count: number;
  readonly first: Promise<number>;
}

/** What waits for the command before it. */
const waiting = new WeakMap<Db, Map<CounterName, Reservation>>();

/**
 * Takes `count` consecutive ids and returns the first. Ids that end up unused are never given out again. Calls that come during a
 * command share the next one: many commands for one document hold each other up.
 */
export async function reserveIds(db: Db, name: CounterName, count = 1): Promise<number> {
  const byName = waiting.get(db) ?? new Map<CounterName, Reservation>();
  waiting.set(db, byName);
  const shared: Reservation = byName.get(name) ?? {
    count: 0,
    first: oneAtATime(db, `ids of ${name}`, () => {
      byName.delete(name);
      return take(db, name, shared.count);
    }),
  };
  byName.set(name, shared);
  const offset = shared.count;
  shared.count += count;
  return (await shared.first) + offset;
}

async function take(db: Db, name: CounterName, count: number): Promise<number> {
  const counter = await repeatOnClash(() =>
    collection(db, 'counters').findOneAndUpdate({ _id: name }, { $inc: { value: count } }, { returnDocument: 'after' }),
  );
  if (counter === null) throw new Error(`The counter "${name}" is missing: open() seeds it.`);
  return counter.value - count + 1;
}
