/** What claims at once leave behind, read and written by hand: the same pages and rows, many in one transaction or command. */
import Sqlite from 'better-sqlite3';
import { MongoClient } from 'mongodb';
import { DURABLE } from '../../../adapters/mongodb/url-settings.ts';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { pieces } from '../../../core/bulk.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { PlatformComment } from '../../../core/ports/platform.ts';

/** Rows of one transaction or command. */
const TOGETHER = 500;
const STATES = ['verification_pending', 'verified', 'rewarded'] as const;

export interface BareClaims {
  insertComments(challengeId: number, comments: readonly PlatformComment[]): Promise<void>;
  /** Attempts of creators who have commented. */
  matching(challengeId: number): Promise<readonly number[]>;
  move(attemptIds: readonly number[], state: (typeof STATES)[number], revision: number): Promise<void>;
  close(): Promise<void>;
}

/** Reads the post, stores its comments, and moves every attempt that matches from state to state. Returns how many there are. */
export async function claimByHand(
  bare: BareClaims,
  baseUrl: string,
  post: PostRef,
  challengeId: number,
): Promise<number> {
  const platform = createTikTokPlatform({ baseUrl, pacing: 'off' });
  try {
    const comments: PlatformComment[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await platform.getComments(post, cursor);
      comments.push(...page.comments);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    for (const some of pieces(comments, TOGETHER)) await bare.insertComments(challengeId, some);
  } finally {
    await platform.close();
  }
  const attempts = await bare.matching(challengeId);
  for (const [index, state] of STATES.entries()) {
    for (const some of pieces(attempts, TOGETHER)) await bare.move(some, state, index + 1);
  }
  return attempts.length;
}

/** Each transaction is on the disk when it is over. */
export async function bareSqlite(path: string): Promise<BareClaims> {
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const insert = db.prepare(
    `INSERT INTO comments (challenge_id, platform_comment_id, username, author, comment_text, commented_at, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const matching = db
    .prepare<[number], number>(
      `SELECT a.id FROM attempts a JOIN social_accounts s ON s.creator_id = a.user_id
        WHERE a.challenge_id = ? AND EXISTS (
          SELECT 1 FROM comments c WHERE c.challenge_id = a.challenge_id AND c.author = s.handle)`,
    )
    .pluck();
  const move = db.prepare(
    'UPDATE attempts SET state = ?, state_history = ?, updated_at = ?, revision = ? WHERE id = ?',
  );
  const history = (state: string) => JSON.stringify([{ state, at: new Date(), reason: 'as it goes' }]);
  return {
    insertComments: async (challengeId, comments) =>
      db.transaction(() => {
        for (const { id, username, text, createdAt } of comments) {
          insert.run(challengeId, id, username, username.toLowerCase(), text, createdAt.getTime(), Date.now());
        }
      })(),
    matching: async (challengeId) => matching.all(challengeId),
    move: async (attemptIds, state, revision) =>
      db.transaction(() => {
        for (const id of attemptIds) move.run(state, history(state), Date.now(), revision, id);
      })(),
    async close() {
      db.close();
    },
  };
}

interface Numbered {
  readonly _id: number;
  readonly [field: string]: unknown;
}

export async function bareMongo(url: string): Promise<BareClaims> {
  const client = await MongoClient.connect(url, DURABLE);
  const collection = (name: string) => client.db().collection<Numbered>(name);
  let lastId = 0;
  return {
    async insertComments(challengeId, comments) {
      await collection('comments').insertMany(
        comments.map(({ id, username, text, createdAt }) => ({
          _id: ++lastId,
          challengeId,
          platformCommentId: id,
          username,
          author: username.toLowerCase(),
          commentText: text,
          commentedAt: createdAt,
          createdAt: new Date(),
        })),
      );
    },
    async matching(challengeId) {
      const attempts = await collection('attempts').find({ challengeId }).toArray();
      const found: number[] = [];
      for (const some of pieces(attempts, TOGETHER)) {
        const users = some.map(({ userId }) => userId);
        const links = await collection('socialAccounts')
          .find({ creatorId: { $in: users } })
          .toArray();
        const handles = links.map(({ handle }) => handle);
        const authors = await collection('comments')
          .find({ challengeId, author: { $in: handles } })
          .toArray();
        const written = new Set(authors.map(({ author }) => author));
        const matching = new Set(links.filter(({ handle }) => written.has(handle)).map(({ creatorId }) => creatorId));
        found.push(...some.filter(({ userId }) => matching.has(userId)).map(({ _id }) => _id));
      }
      return found;
    },
    async move(attemptIds, state, revision) {
      const now = new Date();
      const update = {
        $set: { state, stateHistory: [{ state, at: now, reason: 'as it goes' }], updatedAt: now, revision },
      };
      await collection('attempts').bulkWrite(attemptIds.map((_id) => ({ updateOne: { filter: { _id }, update } })));
    },
    close: () => client.close(),
  };
}
