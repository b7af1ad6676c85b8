import type {
  AnyBulkWriteOperation,
  Collection,
  Db,
  Document,
  Filter,
  OptionalUnlessRequiredId,
  UpdateFilter,
} from 'mongodb';
import type { CollectionName } from './documents.ts';
import { isClash, refusedWrites } from './failures.ts';
import { gathered } from './gathered.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { repeatOnClash } from './repeat.ts';
import { checked } from './values.ts';

/**
 * Inserts the documents whose `identity` (the fields of a unique index) is not there yet, all in one command.
 * Those that are there stay as they are. Safe against concurrent calls. Returns the `_id`s that were inserted;
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
  const all = documents.map(checked);
  if (documents.length === 1) {
    const isInserted = await singlesOf(name)(db, { document: first, identity });
    return new Set(isInserted ? [first._id] : []);
  }
  // A bulk waits for what shares its first field, for example the challenge.
  const [shared = ''] = identity;
  return oneAtATime(db, JSON.stringify([name, first[shared]]), () => insert(db.collection<D>(name), all, identity));
}

interface Single {
  readonly document: Document & { readonly _id: number };
  readonly identity: readonly string[];
}

const singles = new Map<CollectionName, (db: Db, single: Single) => Promise<boolean>>();

/** Documents that come alone, and together, are one command. Of those with one identity the first is tried. */
function singlesOf(name: CollectionName): (db: Db, single: Single) => Promise<boolean> {
  const known = singles.get(name);
  if (known !== undefined) return known;
  const inserted = gathered<Single, boolean>(async (db, waiting) => {
    const target = db.collection<Single['document']>(name);
    const different = new Map(
      waiting.toReversed().map(({ document, identity }) => [keyOf(document, identity), document]),
    );
    const ids = await insert(target, [...different.values()], waiting[0]?.identity ?? []);
    return waiting.map(({ document }) => ids.has(document._id));
  });
  singles.set(name, inserted);
  return inserted;
}

function keyOf(document: Document, identity: readonly string[]): string {
  return JSON.stringify(identity.map((field) => document[field]));
}

/** Mostly nothing is there yet, and a server inserts several times as fast as it upserts. */
async function insert<D extends Document & { _id: number }>(
  target: Collection<D>,
  documents: readonly D[],
  identity: readonly (keyof D & string)[],
): Promise<ReadonlySet<number>> {
  // Bulks that overlap lock what they share in the same order.
  const ordered = documents
    .map((document) => ({ document, key: keyOf(document, identity) }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ document }) => document);
  const { refused, isKnown } = await insertAll(target, ordered);
  if (refused.length === 0) return new Set(documents.map(({ _id }) => _id));
  const inserted = new Set(await upsert(target, refused, identity, !isKnown));
  const others = new Set(refused.map(({ _id }) => _id));
  for (const { _id } of documents) if (!others.has(_id)) inserted.add(_id);
  return inserted;
}

interface Refused<D> {
  readonly refused: readonly D[];
  /** False: some of them may have been inserted all the same. */
  readonly isKnown: boolean;
}

/** Returns the documents that concurrent writes, or those that are there, stood in the way of. */
async function insertAll<D extends Document & { _id: number }>(
  target: Collection<D>,
  documents: readonly D[],
): Promise<Refused<D>> {
  try {
    await target.insertMany(documents as readonly OptionalUnlessRequiredId<D>[], { ordered: false });
    return { refused: [], isKnown: true };
  } catch (error) {
    if (!isClash(error)) throw error;
    const refused = refusedWrites(error);
    if (refused === null) return { refused: documents, isKnown: false };
    return { refused: refused.flatMap(({ index }) => documents[index] ?? []), isKnown: true };
  }
}

/** `mayBeThere`: some of the documents may have been inserted by the same call before. */
async function upsert<D extends Document & { _id: number }>(
  target: Collection<D>,
  ordered: readonly D[],
  identity: readonly (keyof D & string)[],
  mayBeThere: boolean,
): Promise<ReadonlySet<number>> {
  const upserts = ordered.map((document): AnyBulkWriteOperation<D> => {
    const filter = Object.fromEntries(identity.map((field) => [field, { $eq: document[field] }]));
    const update = { $setOnInsert: document };
    return { updateOne: { filter: filter as Filter<D>, update: update as unknown as UpdateFilter<D>, upsert: true } };
  });
  let rounds = mayBeThere ? 1 : 0;
  const result = await repeatOnClash(() => {
    rounds += 1;
    return target.bulkWrite(upserts, { ordered: false });
  });
  if (rounds === 1) {
    const inserted = Object.keys(result.upsertedIds).flatMap((index) => ordered[Number(index)]?._id ?? []);
    return new Set(inserted);
  }
  // Earlier rounds inserted some, too: those are there under the ids that only this call knows.
  const ids = { _id: { $in: ordered.map((document) => document._id) } } as Filter<D>;
  const found = await target.find(ids).project<{ _id: number }>({ _id: 1 }).toArray();
  return new Set(found.map((document) => document._id));
}
