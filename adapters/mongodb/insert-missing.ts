import type { Document, Filter, OptionalUnlessRequiredId } from 'mongodb';
import type { CollectionName, Place } from './documents.ts';
import { DUPLICATE_KEY, isClash, refusedWrites } from './failures.ts';
import { INDEXES } from './indexes.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { repeatOnClash } from './repeat.ts';
import { checked } from './values.ts';

/**
 * Inserts the documents that are not there yet, by the first unique index of the collection. Those that are there stay as they
 * are. Safe against concurrent calls. Returns the `_id`s that were inserted; they have to be new, from `reserveIds`.
 */
export async function insertMissing<D extends { _id: string | number }>(
  db: Place,
  name: CollectionName,
  documents: readonly D[],
): Promise<ReadonlySet<D['_id']>> {
  const target = db.collection<D>(name);
  const identity = Object.keys(INDEXES[name]?.find(({ unique }) => unique)?.key ?? { _id: 1 });
  const inserted = new Set<D['_id']>();
  let left = inOrder(documents.map(checked), identity);
  const [first] = left;
  if (first === undefined) return inserted;
  // Calls that begin with the same document, such as repeated ones, would only hold each other up.
  await oneAtATime(db, `${name} ${keyIn(first, identity)}`, () => repeatOnClash(insert));
  return inserted;

  async function insert(): Promise<void> {
    try {
      await target.insertMany(left as readonly OptionalUnlessRequiredId<D>[], { ordered: false });
    } catch (error) {
      if (!isClash(error)) throw error;
      const refused = refusedWrites(error);
      const isRefused = new Set(refused?.map(({ index }) => index));
      // If the server gave up the whole command, nobody knows what it did. The ids are known to this call only.
      const done =
        refused === null ? await thereAmong(left) : left.filter((_, index) => !isRefused.has(index)).map(idOf);
      for (const id of done) inserted.add(id);
      const isOpen = new Set(refused?.filter(({ code }) => code !== DUPLICATE_KEY).map(({ index }) => index));
      left = left.filter(({ _id }, index) => (refused === null ? !inserted.has(_id) : isOpen.has(index)));
      if (left.length > 0) throw error;
      return;
    }
    for (const { _id } of left) inserted.add(_id);
  }

  async function thereAmong(some: readonly D[]): Promise<D['_id'][]> {
    const among = { _id: { $in: some.map(idOf) } } as Filter<D>;
    return (await target.find<Pick<D, '_id'>>(among, { projection: { _id: 1 } }).toArray()).map(idOf);
  }
}

function keyIn(document: Document, identity: readonly string[]): string {
  return JSON.stringify(identity.map((field) => document[field]));
}

const idOf = <Id>({ _id }: { readonly _id: Id }) => _id;

/** By identity: bulks that overlap lock what they share in the same order. */
function inOrder<D extends Document>(documents: readonly D[], identity: readonly string[]): readonly D[] {
  return documents
    .map((document) => ({ document, key: keyIn(document, identity) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ document }) => document);
}
