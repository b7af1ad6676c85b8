/** A MongoDB database as one end of a copy of a whole store. */
import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import type { CopiedKind, CopyEnd, CopyProgress, CopyRecord, CopySequences } from '../../core/ports/copy-end.ts';
import { COUNTED } from './counters.ts';
import { createConnection } from './database.ts';
import type { CollectionName, PurgeDocument } from './documents.ts';
import { ofGone } from './purges.ts';
import { repeatOnClash } from './repeat.ts';
import { writeBulk } from './write-bulk.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Shape {
  /** The records that a document stands for. */
  readonly toRecords?: (document: Document) => readonly CopyRecord[];
  /** The fields of the document, `_id` among them. */
  readonly toDocument?: (record: Fields) => Document;
}

const AS_IT_IS: Shape = {};

/** Every collection is here; the counters are what `finish` sets. */
const SHAPES: Readonly<Record<Exclude<CollectionName, 'counters'>, Shape>> = {
  creators: AS_IT_IS,
  socialAccounts: {
    toRecords: ({ ownedAccount = null, rememberedAccount = null, outbox = [], outboxAt, ...rest }) => [
      {
        ...rest,
        outbox,
        platformAccountId:
          ownedAccount === null ? null : String(ownedAccount).slice(`${String(rest.platform)}:`.length),
        rememberedAccountId: rememberedAccount,
      },
    ],
    toDocument: ({ platformAccountId, rememberedAccountId, outbox, ...rest }) => ({
      ...rest,
      ...((outbox as readonly unknown[]).length === 0 ? {} : { outbox, outboxAt: rest.connectedAt }),
      ...(rememberedAccountId === null ? {} : { rememberedAccount: rememberedAccountId }),
      ...(platformAccountId === null ? {} : { ownedAccount: `${String(rest.platform)}:${String(platformAccountId)}` }),
    }),
  },
  brands: AS_IT_IS,
  campaigns: { toRecords: ({ gate, ...rest }) => [rest] },
  attempts: {
    toRecords: ({ outboxAt, recheck = null, verificationDeadline = null, ...rest }) => [
      { ...rest, recheck, verificationDeadline },
    ],
    toDocument: ({ verificationDeadline, ...rest }) => ({
      ...rest,
      ...(verificationDeadline === null ? {} : { verificationDeadline }),
      ...((rest.outbox as readonly unknown[]).length === 0 ? {} : { outboxAt: rest.updatedAt }),
    }),
  },
  comments: {
    toRecords: ({ metAt = null, authorId = null, ...rest }) => [{ ...rest, metAt, authorId }],
    toDocument: ({ metAt, authorId, ...rest }) => ({
      ...rest,
      ...(metAt === null ? {} : { metAt }),
      ...(authorId === null ? {} : { authorId }),
    }),
  },
  sweeps: {
    toRecords: ({ expectedTotal = null, unreadReplies = 0, skipped = 0, confirmed = false, lease = 0, ...rest }) => {
      const { leasedAt = rest.startedAt, lastSwept = null, refusedSince = null, unnumbered = null, unnamed = 0 } = rest;
      const seen = { expectedTotal, unreadReplies, skipped, unnumbered, unnamed, confirmed };
      return [{ ...rest, ...seen, lease, leasedAt, lastSwept, refusedSince }];
    },
  },
  metrics: AS_IT_IS,
  likersFetches: AS_IT_IS,
  likers: { toRecords: ({ shared, ...rest }) => [rest] },
  webhooks: {
    toRecords: ({ activations = 0, previousSecret = null, ...rest }) => [{ ...rest, activations, previousSecret }],
  },
  deliveries: AS_IT_IS,
  subscriptions: {
    toRecords: ({ _id, brandId = null, ...rest }) => [{ ...rest, brandId }],
    toDocument: ({ brandId, ...rest }) => ({
      _id: `${String(rest.subscriber)}:${String(rest.event)}`,
      ...rest,
      ...(brandId === null ? {} : { brandId }),
    }),
  },
  subscriberDeliveries: { toRecords: ({ claim, ...rest }) => [rest] },
  jobs: {
    toRecords: ({ slot, live, claim, group = null, ...rest }) => [{ ...rest, group }],
    toDocument: (record) => ({
      ...record,
      live: record.status !== 'dead',
      slot: record.status === 'dead' ? `dead:${String(record._id)}` : `live:${String(record.key)}`,
    }),
  },
  jobGroups: {
    toRecords: ({ _id, readyAt, version, ...rest }) => [rest],
    toDocument: (record) => ({
      _id: `${String(record.type)}:${String(record.name)}`,
      ...record,
      readyAt: Number(record.turnAt) > Number(record.pausedUntil) ? record.turnAt : record.pausedUntil,
      version: 0,
    }),
  },
  tokens: { toRecords: ({ brandId = null, quota = null, ...rest }) => [{ ...rest, brandId, quota }] },
  usage: {
    toRecords: ({ callerKey, period, counts }) =>
      Object.entries(counts as Fields).map(([counter, value]) => ({ callerKey, period, counter, value })),
  },
  connectionRequests: {
    toRecords: ({ returnUrl = null, ...rest }) => [{ ...rest, returnUrl }],
    toDocument: ({ returnUrl, ...rest }) => ({ ...rest, ...(returnUrl === null ? {} : { returnUrl }) }),
  },
  onceKeys: { toRecords: ({ holder = null, ...rest }) => [{ ...rest, holder }] },
  idempotencyKeys: AS_IT_IS,
  auditLog: AS_IT_IS,
  canaries: AS_IT_IS,
  purges: {
    toRecords: ({ _id, at, ...rest }) => [rest],
    toDocument: (record) => ({ _id: `${String(record.kind)}:${String(record.target)}`, ...record, at: new Date() }),
  },
};

const PROGRESS = 'copyProgress';

/** `open` throws as `createMongoStorage` says. */
export function createMongoCopyEnd({ url }: { readonly url: string }): CopyEnd {
  const connection = createConnection({
    url,
    database: undefined,
    maxPoolSize: 5,
    connectTimeoutMs: 10_000,
    socketTimeoutMs: 60_000,
  });
  const progressOf = (db: Db) => db.collection<{ _id: string; progress: string }>(PROGRESS);
  return {
    open: () => connection.open(),
    close: () => connection.close(),

    read: (kind, after, limit) =>
      connection.run(async (db) => {
        const behind = after?.[0] === undefined ? {} : { _id: { $gt: after[0] } };
        const found = await db
          .collection<{ _id: string | number }>(kind)
          .find(behind)
          .sort({ _id: 1 })
          .limit(limit)
          .toArray();
        const last = found.at(-1);
        const { toRecords = (document: Document) => [document] } = SHAPES[kind];
        // Other stores take a note at its word: its target is gone, and there is something to do.
        const documents = kind === 'purges' ? await ofGone(db, found as unknown as PurgeDocument[]) : found;
        return {
          records: documents.flatMap((document) => toRecords(document)),
          last: last === undefined ? null : [last._id],
        };
      }),

    write: (kind, records, progress) =>
      connection.run(async (db) => {
        const operations = records.map((record) => operationOf(kind, record));
        if (operations.length > 0) await writeBulk(db.collection(kind), operations);
        const stored = { $set: { progress: JSON.stringify(progress) } };
        await repeatOnClash(() => progressOf(db).updateOne({ _id: 'copy' }, stored, { upsert: true }));
      }),

    progress: () =>
      connection.run(async (db) => {
        const found = await progressOf(db).findOne({ _id: 'copy' });
        return found === null ? null : (JSON.parse(found.progress) as CopyProgress);
      }),

    sequences: () =>
      connection.run(async (db): Promise<CopySequences> => {
        const counters = await db.collection<{ _id: string; value: number }>('counters').find().toArray();
        const known = new Map(counters.map(({ _id, value }) => [_id, value]));
        return Object.fromEntries([...COUNTED, 'challenges' as const].map((kind) => [kind, known.get(kind) ?? 0]));
      }),

    finish: (sequences) =>
      connection.run(async (db) => {
        const counters = db.collection<{ _id: string; value: number }>('counters');
        // `open` raises those of the copied records; numbers of removed ones are not given out again either.
        for (const [_id, value] of Object.entries(sequences)) {
          if (value > 0) await counters.updateOne({ _id }, { $max: { value } });
        }
        await progressOf(db).deleteOne({ _id: 'copy' });
      }),
  };
}

function operationOf(kind: CopiedKind, record: Fields): AnyBulkWriteOperation<Document> {
  if (kind === 'usage') {
    const { callerKey, period, counter, value } = record;
    const target = { callerKey, period };
    const $setOnInsert = { _id: JSON.stringify([callerKey, period]) as unknown as Document['_id'] };
    return {
      updateOne: {
        filter: target,
        update: { $set: { [`counts.${String(counter)}`]: value }, $setOnInsert },
        upsert: true,
      },
    };
  }
  const { toDocument = (given: Fields) => ({ ...given }) } = SHAPES[kind];
  const document = toDocument(record);
  return { replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } };
}
