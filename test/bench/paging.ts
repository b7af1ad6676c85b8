/** Pages of stored comments through the `CommentStore` port, against the same queries on the raw driver, as comments grow. */
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

const LIMIT = 50;

/** Reads one page as a hand-written query would; resolves to how many comments it holds. */
type RawPage = (challengeId: number, offset: number) => Promise<number>;

export const pagingBench: Bench = {
  name: 'paging',
  title: `Pages of ${LIMIT} stored comments against the raw driver, and as the comments grow`,
  async run(context) {
    const rows = [...(await onSqlite(context))];
    await using server = await mongoDatabase();
    if (server.available) rows.push(...(await onMongo(context, server.url)));
    else context.skip('MongoDB', server.reason);
    return rows;
  },
};

async function onSqlite(context: BenchContext): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-bench-'));
  const path = join(directory, 'credence.db');
  const storage = createSqliteStorage({ path });
  await storage.open();
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  const select =
    db.prepare(`SELECT id, platform_comment_id AS platformCommentId, author_id AS authorId, username, comment_text AS commentText,
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

async function onMongo(context: BenchContext, url: string): Promise<BenchRow[]> {
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

async function measure(
  { quick, progress }: BenchContext,
  name: 'SQLite' | 'MongoDB',
  storage: Storage,
  raw: RawPage,
): Promise<BenchRow[]> {
  const [few, many] = quick ? [200, 400] : [1_000, name === 'SQLite' ? 500_000 : 50_000];
  const challengeOf = new Map<number, number>();
  for (const comments of [few, many]) {
    progress(`storing ${comments} comments in ${name}`);
    const { challenge } = await storeCampaign(storage);
    await storeComments(storage, challenge.id, comments);
    challengeOf.set(comments, challenge.id);
  }
  /** Milliseconds for a page near `page`: each call reads another one. */
  const pages = (comments: number, page: number, read: RawPage) => async () => {
    let at = 0;
    const calls = quick ? 4 : comments === few ? 200 : 20;
    return timedEach(calls, async () => {
      const length = await read(challengeOf.get(comments) ?? 0, (page - 1 + (at++ % 4)) * LIMIT);
      if (length !== LIMIT) throw new Error(`A page holds ${length} comments instead of ${LIMIT}.`);
    });
  };
  const ours: RawPage = async (challengeId, offset) => {
    const { items, total } = await storage.comments.page(challengeId, { page: offset / LIMIT + 1, limit: LIMIT });
    const stored = [...challengeOf].find(([, id]) => id === challengeId)?.[0];
    if (total !== stored) throw new Error(`The total of a page is ${total} instead of ${stored}.`);
    return items.length;
  };
  const rounds = quick ? 1 : 7;
  const rows: BenchRow[] = [];
  for (const [comments, page] of [
    [few, 1],
    [many, 1],
    [many, many / LIMIT / 2],
  ] as const) {
    const row = `${name}, page ${page.toLocaleString('en')} of ${comments.toLocaleString('en')} comments`;
    progress(row);
    rows.push(
      await sideBySide({
        name: row,
        unit: MILLISECONDS,
        subject: pages(comments, page, ours),
        reference: { name: 'raw driver', measure: pages(comments, page, raw) },
        rounds,
      }),
    );
  }
  for (const page of [1, many / LIMIT / 2]) {
    progress(`${name}, growth`);
    rows.push(
      await sideBySide({
        name: `${name}, page ${page.toLocaleString('en')} of ${many.toLocaleString('en')} comments`,
        unit: MILLISECONDS,
        subject: pages(many, page, ours),
        reference: { name: `page 1 of ${few.toLocaleString('en')}`, measure: pages(few, 1, ours) },
        rounds,
        aim: { of: 'ratio', atMost: 2 },
      }),
    );
  }
  return rows;
}
