import Sqlite from 'better-sqlite3';
import { type BareStore, newAttemptFields } from './bare.ts';

/** Each write is a transaction of its own that is on the disk when it is confirmed, as Credence promises it. */
export function createBareSqlite(path: string): BareStore {
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const creatorOf = db.prepare<[string], { id: number }>('SELECT id FROM creators WHERE external_id = ?');
  const insertCreator = db.prepare('INSERT INTO creators (external_id, email, created_at) VALUES (?, ?, ?)');
  const insertAccount = db.prepare(
    `INSERT INTO social_accounts (creator_id, platform, handle, profile_data, ownership_proven, connected_at)
      VALUES (?, ?, ?, '{}', 0, ?)`,
  );
  const challengeOf = db.prepare<[number], { platform: string; isActive: number }>(
    `SELECT c.platform, p.is_active AS isActive FROM challenges c JOIN campaigns p ON p.id = c.campaign_id
      WHERE c.id = ?`,
  );
  const handleOf = db.prepare<[number, string], { handle: string }>(
    `SELECT handle FROM social_accounts WHERE creator_id = ? AND platform = ? AND disconnected_at IS NULL
      ORDER BY connected_at DESC, id DESC LIMIT 1`,
  );
  const attemptOf = db.prepare('SELECT id FROM attempts WHERE challenge_id = ? AND user_id = ?');
  const insertAttempt = db.prepare(
    `INSERT INTO attempts (user_id, challenge_id, state, retry_count, max_retries, state_history, metadata,
      points_awarded, created_at, updated_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0)`,
  );
  const campaignOf = db.prepare(
    `SELECT p.*, c.id AS challengeId, c.platform, c.canonical_url AS canonicalUrl FROM campaigns p
      JOIN challenges c ON c.campaign_id = p.id WHERE p.id = ?`,
  );
  const commentsOf = db.prepare<[number, number, number], object>(
    `SELECT id, platform_comment_id AS platformCommentId, author_id AS authorId, username, comment_text AS commentText,
      commented_at AS commentedAt, created_at AS createdAt
      FROM comments WHERE challenge_id = ? ORDER BY commented_at DESC, id DESC LIMIT ? OFFSET ?`,
  );
  const countOf = db.prepare<[number], { n: number }>('SELECT count(*) AS n FROM comments WHERE challenge_id = ?');

  const register = db.transaction((externalId: string, platform: string, handle: string, now: number) => {
    const id =
      creatorOf.get(externalId)?.id ??
      Number(insertCreator.run(externalId, `${externalId}@creators.invalid`, now).lastInsertRowid);
    const { lastInsertRowid } = insertAccount.run(id, platform, handle, now);
    return {
      user: { id, externalId },
      socialAccount: { id: Number(lastInsertRowid), platform, platformUsername: handle, profileData: {} },
    };
  });
  const attempt = db.transaction((challengeId: number, externalId: string, now: Date) => {
    const challenge = challengeOf.get(challengeId);
    const creator = creatorOf.get(externalId);
    const handle = handleOf.get(creator?.id ?? 0, challenge?.platform ?? '')?.handle;
    if (challenge?.isActive !== 1 || creator === undefined || handle === undefined) throw new Error('not found');
    if (attemptOf.get(challengeId, creator.id) !== undefined) throw new Error('exists');
    const fields = newAttemptFields(handle, now);
    const { lastInsertRowid } = insertAttempt.run(
      creator.id,
      challengeId,
      fields.state,
      fields.retryCount,
      fields.maxRetries,
      JSON.stringify(fields.stateHistory),
      JSON.stringify(fields.metadata),
      now.getTime(),
      now.getTime(),
    );
    return { id: Number(lastInsertRowid), userId: creator.id, challengeId, ...fields, createdAt: now, updatedAt: now };
  });
  return {
    register: async ({ externalId, platform, handle }) => register.immediate(externalId, platform, handle, Date.now()),
    createAttempt: async (challengeId, externalId) => attempt.immediate(challengeId, externalId, new Date()),
    campaign: async (id) => campaignOf.get(id) as object,
    comments: async (challengeId, limit, offset) => ({
      rows: commentsOf.all(challengeId, limit, offset),
      total: countOf.get(challengeId)?.n ?? 0,
    }),
    async close() {
      db.close();
    },
  };
}
