/** Integer ids: one counter document a collection, seeded at boot, so that `$inc` never has to create it in a race. */
import { type CollectionName, type DocumentOf, type Place, SHAPES } from './documents.ts';
import { repeatOnClash } from './repeat.ts';

const countersOf = (db: Place) => db.collection<{ _id: string; value: number }>('counters');

export type CounterName = CollectionName | 'challenges';

/** Raises every counter to the highest id in use; also after a restored backup. Never lowers one. Mostly it writes nothing. */
export async function seedCounters(db: Place): Promise<void> {
  const counters = await countersOf(db).find().toArray();
  const values = new Map(counters.map(({ _id, value }) => [_id, value]));
  const raise = async (name: CounterName, inUse: number) => {
    // Counters only grow: one that was high enough still is.
    if (inUse <= (values.get(name) ?? -1)) return;
    const update = { $max: { value: inUse } };
    await repeatOnClash(() => countersOf(db).updateOne({ _id: name }, update, { upsert: true }));
  };
  // Also of those that have other ids: their counters stay at 0.
  for (const name of Object.keys(SHAPES) as CollectionName[]) {
    const last = await db.collection(name).findOne({}, { sort: { _id: -1 }, projection: { _id: 1 } });
    await raise(name, Number(last?._id) || 0);
  }
  const campaigns = db.collection<DocumentOf<'campaigns'>>('campaigns');
  const last = await campaigns.findOne({}, { sort: { 'challenge.id': -1 }, projection: { 'challenge.id': 1 } });
  await raise('challenges', last?.challenge.id ?? 0);
}

/** Takes `count` consecutive ids and returns the first. Ids that end up unused are never given out again. */
export async function takeIds(db: Place, name: CounterName, count = 1): Promise<number> {
  const counter = await repeatOnClash(() =>
    countersOf(db).findOneAndUpdate({ _id: name }, { $inc: { value: count } }, { returnDocument: 'after' }),
  );
  if (counter === null) throw new Error(`The counter "${name}" is missing: open() seeds it.`);
  return counter.value - count + 1;
}
