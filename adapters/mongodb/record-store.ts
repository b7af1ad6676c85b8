/** A MongoDB database as plain records. */
import type { Document } from 'mongodb';
import type { Place } from '../../core/ports/place-store.ts';
import type { CopiedKind, CopyRecord, RecordStore } from '../../core/ports/record-store.ts';
import type { Database } from './items.ts';

/** Fields that follow from others, or that are about processes of now. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'outboxAt',
  'follows',
  'gate',
  'deletion',
  'shared',
  'claim',
  'slot',
  'revoking',
]);

/** Kinds whose `_id` is made of these fields. */
const KEYS: Readonly<Partial<Record<CopiedKind, readonly string[]>>> = {
  subscriptions: ['subscriber', 'event'],
  usage: ['callerKey', 'period'],
  officialPosts: ['platform', 'contentId'],
};

const keyOf = (kind: CopiedKind) => KEYS[kind] ?? ['_id'];

export function createRecordStore(db: Database): RecordStore {
  const find = async (kind: CopiedKind, filter: Document, direction: 1 | -1, limit: number) => {
    const sort = Object.fromEntries(keyOf(kind).map((field) => [field, direction]));
    const documents = await db.collection(kind).find(filter, { sort, limit }).toArray();
    return documents.map((document) => toRecord(kind, document));
  };
  const findPlaces = (after: CopyRecord | null, direction: 1 | -1, limit: number) =>
    db.places.raw
      .aggregate<CopyRecord>([
        { $match: after === null ? {} : { _id: { $gte: after.key } } },
        { $unwind: '$holders' },
        { $replaceRoot: { newRoot: { $mergeObjects: [{ key: '$_id', holder: '$holders.id' }, '$holders'] } } },
        { $unset: 'id' },
        { $match: after === null ? {} : behind(['key', 'holder'], after) },
        { $sort: { key: direction, holder: direction } },
        { $limit: limit },
      ])
      .toArray();
  /** One by one, in their order. */
  const writePlaces = async (records: readonly CopyRecord[]) => {
    for (const { key, holder, revision, amount } of records as readonly (CopyRecord & Place)[]) {
      const place = { id: holder, revision, amount };
      await db.places.upsert({ _id: key }, { $inc: { used: amount }, $push: { holders: place } });
    }
  };
  return {
    read: (kind, after, limit) =>
      kind === 'places'
        ? findPlaces(after, 1, limit)
        : find(kind, after === null ? {} : behind(keyOf(kind), after), 1, limit),
    last: async (kind) => (await (kind === 'places' ? findPlaces(null, -1, 1) : find(kind, {}, -1, 1)))[0] ?? null,
    async write(kind, records) {
      if (kind === 'places') return writePlaces(records);
      const documents = records.map((record) => toDocument(kind, record));
      await db.collection(kind).insertMany(documents, { ordered: true });
    },
  };
}

function behind(key: readonly string[], after: CopyRecord): Document {
  const tied = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, after[field]]));
  return { $or: key.map((field, index) => ({ ...tied(key.slice(0, index)), [field]: { $gt: after[field] } })) };
}

function toRecord(kind: CopiedKind, document: Document): CopyRecord {
  const isOwn = (field: string) => OWN_FIELDS.has(field) || (field === '_id' && kind in KEYS);
  return Object.fromEntries(Object.entries(document).filter(([field]) => !isOwn(field)));
}

function toDocument(kind: CopiedKind, record: CopyRecord): Document {
  const hasOutbox = Array.isArray(record.outbox) && record.outbox.length > 0;
  const key = keyOf(kind).map((field) => record[field]);
  return {
    ...record,
    ...(kind in KEYS && { _id: key.join(':') }),
    ...(kind === 'jobs' && { slot: record.status === 'dead' ? `dead:${record._id}` : `live:${record.key}` }),
    ...(hasOutbox && { outboxAt: record.updatedAt ?? record.connectedAt ?? record.readAt ?? record.renewedAt }),
  };
}
