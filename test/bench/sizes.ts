/** What is stored for each thing that grows in number: bytes, with indexes. docs/scaling.md reckons with them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BSON, type Document, MongoClient } from 'mongodb';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { INDEXES } from '../../adapters/mongodb/indexes.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { newAttempt } from '../../core/engagement/attempts/new-attempt.ts';
import type { Storage } from '../../core/ports/storage.ts';
import type { Bench, BenchContext, BenchRow, Unit } from './bench.ts';
import { mongoDatabase } from './mongo.ts';
import { alone } from './rounds.ts';
import { commentOf, handleOf, storeCampaign, storeComments } from './seed.ts';

const BYTES: Unit = { name: 'bytes', better: 'lower' };
const AT = new Date('2026-03-01T12:00:00Z');

/** Each thing with the tables and the collections that hold it. */
const STORED = {
  comment: { tables: ['comments'], collections: ['comments'] },
  'creator with one handle': { tables: ['creators', 'social_accounts'], collections: ['creators', 'socialAccounts'] },
  'rewarded attempt': { tables: ['attempts'], collections: ['attempts'] },
  'delivery that arrived': { tables: ['deliveries'], collections: ['deliveries'] },
} as const;

type Thing = keyof typeof STORED;
const THINGS = Object.keys(STORED) as Thing[];

export const sizesBench: Bench = {
  name: 'sizes',
  title: 'Bytes stored for one of each, with indexes',
  async run(context) {
    const rows = await onSqlite(context);
    await using server = await mongoDatabase();
    if (server.available) rows.push(...(await onMongo(context, server.url)));
    else context.skip('MongoDB', server.reason);
    return rows;
  },
};

async function onSqlite({ quick }: BenchContext): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const path = join(directory, 'credence.db');
  const count = quick ? 100 : 20_000;
  try {
    const storage = createSqliteStorage({ path });
    await storage.open();
    await store(storage, count);
    await storage.close();
    const db = new Sqlite(path, { readonly: true });
    const size = db
      .prepare<[string, string], number>(
        'SELECT sum(pgsize) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ? AND type = ?)',
      )
      .pluck();
    const rows = THINGS.map((thing) => {
      for (const table of STORED[thing].tables) {
        const stored = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
        if (stored !== count) throw new Error(`${stored} rows are in ${table} instead of ${count}.`);
      }
      const bytes = (type: 'table' | 'index') =>
        STORED[thing].tables.reduce((sum, table) => sum + (size.get(table, type) ?? 0), 0) / count;
      return sizeRow(`SQLite, ${thing}`, bytes('table'), bytes('index'));
    });
    db.close();
    return rows;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function onMongo({ quick }: BenchContext, url: string): Promise<BenchRow[]> {
  const count = quick ? 20 : 1_000;
  const storage = createMongoStorage({ url });
  await storage.open();
  await store(storage, count);
  await storage.close();
  const client = await MongoClient.connect(url);
  const rows: BenchRow[] = [];
  for (const thing of THINGS) {
    let [documents, keys] = [0, 0];
    for (const name of STORED[thing].collections) {
      for (const document of await client.db().collection(name).find().toArray()) {
        documents += BSON.calculateObjectSize(document);
        keys += keyBytes(name, document);
      }
    }
    rows.push(sizeRow(`MongoDB before compression, ${thing}`, documents / count, keys / count));
  }
  await client.close();
  return rows;
}

function sizeRow(name: string, data: number, indexes: number): BenchRow {
  return alone({ name, unit: BYTES, note: `${Math.round(indexes)} bytes of it in indexes` }, [data + indexes]);
}

/** What each entry of an index holds besides its key. */
const RECORD_ID_BYTES = 8;

/** The keys of a document in the index by `_id` and in those of its collection. */
function keyBytes(name: keyof typeof INDEXES, document: Document): number {
  const keys = [{ key: { _id: 1 }, partialFilterExpression: undefined }, ...(INDEXES[name] ?? [])];
  return keys.reduce((sum, { key, partialFilterExpression }) => {
    const needed = Object.entries(partialFilterExpression ?? {});
    if (!needed.every(([path, condition]) => meets(at(document, path), condition))) return sum;
    const values = Object.keys(key).map((path) => BSON.calculateObjectSize({ '': at(document, path) ?? null }) - 6);
    return sum + RECORD_ID_BYTES + values.reduce((bytes, value) => bytes + value, 0);
  }, 0);
}

function meets(value: unknown, condition: Readonly<Document>): boolean {
  if ('$gte' in condition) return typeof value === 'string' && value >= condition.$gte;
  return '$eq' in condition ? value === condition.$eq : value !== undefined;
}

function at(document: Document, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Document | null | undefined)?.[name], document);
}

async function store(storage: Storage, count: number): Promise<void> {
  const { challenge } = await storeCampaign(storage);
  await storeComments(storage, challenge.id, count);
  const indexes = Array.from({ length: count }, (_, index) => index);
  const linked = await Promise.all(
    indexes.map((index) =>
      storage.creators.link({
        externalId: `creator-${10_000_000 + index}`,
        email: `creator-${10_000_000 + index}@example.com`,
        displayName: `Creator ${index}`,
        platform: 'tiktok',
        handle: handleOf(index),
        profileData: { followers: 1_000 + index, following: 321 },
        ownershipProven: false,
        now: AT,
      }),
    ),
  );
  await storage.attempts.createMany(
    linked.map(({ creator }, index) => {
      const { commentText, commentedAt } = commentOf(index);
      const begun = newAttempt({ userId: creator.id, challengeId: challenge.id, username: handleOf(index), now: AT });
      const states = ['created', 'verification_pending', 'verified', 'rewarded'] as const;
      return {
        attempt: {
          ...begun,
          state: 'rewarded',
          stateHistory: states.map((state) => ({ state, at: AT, reason: 'as it goes' })),
          lastVerificationAt: AT,
          verificationDeadline: AT,
          matchedComment: { commentText, commentedAt },
          pointsAwarded: 50,
          verifiedAt: AT,
          rewardedAt: AT,
          revision: 3,
        },
        outbox: () => [],
      };
    }),
  );
  const webhook = await storage.webhooks.create({
    brandId: 1,
    url: 'https://example.com/hook',
    events: ['reward.issued'],
    active: true,
    description: null,
    sealedSecret: 'sealed',
    lastTriggeredAt: null,
    createdAt: AT,
  });
  const chunk = 1_000;
  for (let from = 0; from < count; from += chunk) {
    await storage.deliveries.createMany(
      indexes.slice(from, from + chunk).map((index) => ({
        messageId: `msg_${String(index).padStart(27, '0')}`,
        webhookId: webhook.id,
        brandId: 1,
        attemptId: index,
        event: 'reward.issued',
        body: JSON.stringify({ event: 'reward.issued', timestamp: AT, data: { filler: 'x'.repeat(BODY_BYTES) } }),
        status: 'succeeded' as const,
        tries: [{ at: AT, durationMs: 12, status: 204, error: null }],
        nextTryAt: null,
        createdAt: AT,
        finishedAt: AT,
      })),
    );
  }
}

/** About what the fields of an event take. */
const BODY_BYTES = 500;
