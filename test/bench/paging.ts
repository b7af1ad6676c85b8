/** A page of stored comments through the `CommentStore` port, against the same queries on the raw driver. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { MongoClient } from 'mongodb';
import { createMongoStorage } from '../../adapters/mongodb/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { type Bench, type BenchContext, type BenchRow, MILLISECONDS } from './bench.ts';
import { mongoDatabase } from './mongo.ts';
import { sideBySide, timedEach } from './rounds.ts';
import { storeCampaign, storeComments } from './seed.ts';

const PAGES = 20;
const LIMIT = 50;

/** Reads one page as a hand-written query would; resolves to how many comments it holds. */
type RawPage = (challengeId: number, offset: number) => Promise<number>;

export const pagingBench: Bench = {
  name: 'paging',
  title: `Pages of ${LIMIT} stored comments against the raw driver`,
  async run(context) {
    const rows = [await onSqlite(context)];
    await using server = await mongoDatabase();
    if (server.available) rows.push(await onMongo(context, server.url));
    else context.skip('MongoDB', server.reason);
    return rows;
  },
};

async function onSqlite(context: BenchContext): Promise<BenchRow> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const path = join(directory, 'credence.db');
  const storage = createSqliteStorage({ path });
  await storage.open();
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  const select = db.prepare(`SELECT id, platform_comment_id AS platformCommentId, username, comment_text AS commentText,
    commented_at AS commentedAt, created_at AS createdAt
    FROM comments WHERE challenge_id = ? ORDER BY commented_at DESC, id DESC LIMIT ${LIMIT} OFFSET ?`);
  const count = db.prepare('SELECT count(*) AS n FROM comments WHERE challenge_id = ?');
  try {
    return await measure(context, 'SQLite', storage, async (challengeId, offset) => {
      const rows = select.all(challengeId, offset);
      count.get(challengeId);
      return rows.length;
    });
  } finally {
    db.close();
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function onMongo(context: BenchContext, url: string): Promise<BenchRow> {
  const storage = createMongoStorage({ url });
  await storage.open();
  const client = await MongoClient.connect(url);
  const comments = client.db().collection('comments');
  try {
    return await measure(context, 'MongoDB', storage, async (challengeId, offset) => {
      const [rows] = await Promise.all([
        comments.find({ challengeId }).sort({ commentedAt: -1, _id: -1 }).skip(offset).limit(LIMIT).toArray(),
        comments.countDocuments({ challengeId }),
      ]);
      return rows.length;
    });
  } finally {
    await client.close();
    await storage.close();
  }
}

async function measure(context: BenchContext, name: string, storage: Storage, raw: RawPage): Promise<BenchRow> {
  const { challenge } = await storeCampaign(storage);
  context.progress(`storing comments in ${name}`);
  await storeComments(storage, challenge.id, PAGES * LIMIT);
  context.progress(name);
  let at = 0;
  const next = () => at++ % PAGES;
  const calls = context.quick ? PAGES : 20 * PAGES;
  return sideBySide({
    name,
    unit: MILLISECONDS,
    subject: () =>
      timedEach(calls, async () => {
        const { items } = await storage.comments.page(challenge.id, { page: next() + 1, limit: LIMIT });
        requireFull(items.length);
      }),
    reference: {
      name: 'raw driver',
      measure: () => timedEach(calls, async () => requireFull(await raw(challenge.id, next() * LIMIT))),
    },
    rounds: context.quick ? 1 : 9,
  });
}

function requireFull(length: number): void {
  if (length !== LIMIT) throw new Error(`A page holds ${length} comments instead of ${LIMIT}.`);
}
