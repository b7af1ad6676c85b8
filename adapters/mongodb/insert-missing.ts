import type { AnyBulkWriteOperation, Collection, Db, Document, Filter, UpdateFilter } from 'mongodb';
import type { CollectionName } from './documents.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { repeatOnClash } from './repeat.ts';
import { checked } from './values.ts';

/**
 * Inserts the documents whose `identity` (the fields of a unique index) is not there yet, all in one unordered bulk of
 * upserts. Those that are there stay as they are. Safe against concurrent calls. Returns the `_id`s that were inserted;
 * they have to be new, from `reserveIds`.
 */
export async function insertMissing<D extends Document & { _id: number }>(
  db: Db,
  name: CollectionName,
  documents: readonly D[],
  identity: readonly (keyof D & string)[],
): Promise<ReadonlySet<number>> {
  const [first] = documents;
  if (first === undefined) return new Set();
  // Alone, a document waits for its like only; a bulk waits for what shares its first field, for example the challenge.
  const shared = (documents.length === 1 ? identity : identity.slice(0, 1)).map((field) => first[field]);
  return oneAtATime(db, JSON.stringify([name, ...shared]), () => upsert(db.collection<D>(name), documents, identity));
}

async function upsert<D extends Document & { _id: number }>(
  target: Collection<D>,
  documents: readonly D[],
  identity: readonly (keyof D & string)[],
): Promise<ReadonlySet<number>> {
  // Bulks that overlap lock what they share in the same order.
  const ordered = documents
    .map((document) => ({ document, key: JSON.stringify(identity.map((field) => document[field])) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ document }) => document);
  const upserts = ordered.map((document): AnyBulkWriteOperation<D> => {
    const filter = Object.fromEntries(identity.map((field) => [field, { $eq: document[field] }]));
    const update = { $setOnInsert: checked(document) };
    return { updateOne: { filter: filter as Filter<D>, update: update as unknown as UpdateFilter<D>, upsert: true } };
  });
  let rounds = 0;
  const result = await repeatOnClash(() => {
    rounds += 1;
    return target.bulkWrite(upserts, { ordered: false });
  });
  if (rounds === 1) {
    const inserted = Object.keys(result.upsertedIds).flatMap((index) => ordered[Number(index)]?._id ?? []);
    return new Set(inserted);
  }
  // Earlier rounds inserted some, too: those are there under the ids that only this call knows.
  const ids = { _id: { $in: documents.map((document) => document._id) } } as Filter<D>;
  const found = await target.find(ids).project<{ _id: number }>({ _id: 1 }).toArray();
  return new Set(found.map((document) => document._id));
}
