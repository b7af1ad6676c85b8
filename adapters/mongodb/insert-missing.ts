import type { AnyBulkWriteOperation, Collection, Document, Filter, UpdateFilter } from 'mongodb';
import { isDuplicateBulk } from './failures.ts';
import { checked } from './values.ts';

/** Two upserts of one key can meet: the loser gets a duplicate key error, and finds the winner's document at the next try. */
const TRIES = 3;

/**
 * Inserts the documents whose `identity` (the fields of a unique index) is not there yet, all in one unordered bulk of
 * upserts; those that are there stay as they are. Safe against concurrent calls. Returns the `_id`s that were inserted.
 */
export async function insertMissing<D extends Document & { _id: number }>(
  target: Collection<D>,
  documents: readonly D[],
  identity: readonly (keyof D & string)[],
): Promise<ReadonlySet<number>> {
  const inserted = new Set<number>();
  let pending = documents;
  for (let attempt = 1; pending.length > 0; attempt++) {
    const upserts = pending.map((document): AnyBulkWriteOperation<D> => {
      const filter = Object.fromEntries(identity.map((field) => [field, { $eq: document[field] }]));
      const update = { $setOnInsert: checked(document) };
      return { updateOne: { filter: filter as Filter<D>, update: update as unknown as UpdateFilter<D>, upsert: true } };
    });
    const tried = pending;
    pending = [];
    let upserted: Readonly<Record<number, unknown>>;
    try {
      upserted = (await target.bulkWrite(upserts, { ordered: false })).upsertedIds;
    } catch (error) {
      if (!isDuplicateBulk(error) || attempt === TRIES) throw error;
      upserted = error.result.upsertedIds;
      const refused = new Set(error.result.getWriteErrors().map((one) => one.index));
      pending = tried.filter((_, index) => refused.has(index));
    }
    for (const index of Object.keys(upserted)) {
      const document = tried[Number(index)];
      if (document !== undefined) inserted.add(document._id);
    }
  }
  return inserted;
}
