/** A MongoDB database as one end of a copy of a whole store. */
import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import type { CopiedKind, CopyEnd, CopyProgress, CopyRecord, CopySequences } from '../../core/ports/copy-end.ts';
import { COUNTED } from './counters.ts';
import { createConnection } from './database.ts';
import type { PurgeDocument } from './documents.ts';
import { ofGone } from './purges.ts';
import { repeatOnClash } from './repeat.ts';
import { writeBulk } from './write-bulk.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that this adapter derives from others, or that are about processes of now. */
const OWN_FIELDS: Readonly<Partial<Record<CopiedKind, readonly string[]>>> = {
  socialAccounts: ['outboxAt', 'follows'],
  campaigns: ['gate'],
  attempts: ['outboxAt'],
  canaries: ['outboxAt'],
  likers: ['shared'],
  deliveries: ['claim'],
  subscriptions: ['_id'],
  jobs: ['slot', 'live', 'claim'],
  purges: ['_id', 'at'],
};

/** Fields that are absent instead of null: indexes hold the documents that have them. */
const NEVER_NULL = new Set([
  'ownedAccount',
  'rememberedAccount',
  'verificationDeadline',
  'authorId',
  'metAt',
  'returnUrl',
]);

function toRecords(kind: CopiedKind, document: Document): readonly CopyRecord[] {
  if (kind === 'usage') {
    const { callerKey, period, counts } = document;
    return Object.entries(counts as Fields).map(([counter, value]) => ({ callerKey, period, counter, value }));
  }
  const own = OWN_FIELDS[kind] ?? [];
  const record = Object.fromEntries(Object.entries(document).filter(([name]) => !own.includes(name)));
  // One that was never claimed has none.
  if (kind === 'deliveries') return [{ lease: 0, ...record }];
  if (kind !== 'socialAccounts') return [record];
  const { handle, ownedAccount, rememberedAccount, outbox = [], ...rest } = record;
  const platformAccountId = ownedAccount === undefined ? null : String(ownedAccount).slice(`${rest.platform}:`.length);
  return [{ ...rest, platformUsername: handle, platformAccountId, rememberedAccountId: rememberedAccount, outbox }];
}

function toDocument(kind: CopiedKind, record: Fields): Document {
  const document = { ...record, ...derived(kind, record) };
  if (kind === 'subscriptions' && document.brandId === null) delete document.brandId;
  return Object.fromEntries(
    Object.entries(document).filter(
      ([name, value]) => value !== undefined && !(value === null && NEVER_NULL.has(name)),
    ),
  );
}

function derived(kind: CopiedKind, record: Fields): Record<string, unknown> {
  const outboxAt = (at: unknown) => ((record.outbox as readonly unknown[]).length === 0 ? undefined : at);
  switch (kind) {
    case 'socialAccounts': {
      const { platform, platformUsername, platformAccountId: owned, rememberedAccountId, outbox, connectedAt } = record;
      return {
        platformUsername: undefined,
        platformAccountId: undefined,
        rememberedAccountId: undefined,
        handle: platformUsername,
        ownedAccount: owned == null ? null : `${platform}:${owned}`,
        rememberedAccount: rememberedAccountId,
        outbox: outboxAt(outbox),
        outboxAt: outboxAt(connectedAt),
      };
    }
    case 'attempts':
      return { outboxAt: outboxAt(record.updatedAt) };
    case 'canaries':
      return { outboxAt: outboxAt(record.readAt) };
    case 'subscriptions':
      return { _id: `${record.subscriber}:${record.event}` };
    case 'jobs': {
      const live = record.status !== 'dead';
      return { live, slot: live ? `live:${record.key}` : `dead:${record._id}` };
    }
    case 'purges':
      return { _id: `${record.kind}:${record.target}`, at: new Date() };
    default:
      return {};
  }
}

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
        // Other stores take a note at its word: its target is gone, and there is something to do.
        const documents = kind === 'purges' ? await ofGone(db, found as unknown as PurgeDocument[]) : found;
        return {
          records: documents.flatMap((document) => toRecords(kind, document)),
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
  const document = toDocument(kind, record);
  return { replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true } };
}
