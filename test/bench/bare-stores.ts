/** The raw drivers behind the bare routes: the same rows and documents, flushed as Credence flushes them. */
import Sqlite from 'better-sqlite3';
import { type Db, MongoClient } from 'mongodb';
import { DEFAULT_PREFIX, withPrefix } from '../../adapters/mongodb/database.ts';
import { DURABLE } from '../../adapters/mongodb/url-settings.ts';
import type { BareStore } from './bare.ts';

const CAMPAIGN = `id, brand_id AS brandId, title, description, image_url AS imageUrl, points_reward AS pointsReward,
  is_active AS isActive, starts_at AS startsAt, ends_at AS endsAt, created_at AS createdAt`;

interface CampaignRow {
  readonly isActive: number;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly createdAt: number;
}

interface CommentRow {
  readonly commentedAt: number;
  readonly createdAt: number;
}

const iso = (time: number) => new Date(time).toISOString();
const campaignView = (row: CampaignRow | undefined) => {
  if (row === undefined) throw new Error('not found');
  const { isActive, startsAt, endsAt, createdAt, ...rest } = row;
  return {
    ...rest,
    isActive: isActive === 1,
    startsAt: startsAt === null ? null : iso(startsAt),
    endsAt: endsAt === null ? null : iso(endsAt),
    createdAt: iso(createdAt),
  };
};

/** Each write is a transaction of its own that is on the disk when it is confirmed. */
export function bareSqlite(path: string): BareStore {
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const campaign = db.prepare<[number], CampaignRow>(`SELECT ${CAMPAIGN} FROM campaigns WHERE id = ?`);
  const challenge = db.prepare<[number], object>(
    `SELECT id, campaign_id AS campaignId, platform, content_type AS contentType, content_id AS contentId,
      canonical_url AS canonicalUrl, instruction_text AS instructionText FROM challenges WHERE campaign_id = ?`,
  );
  const campaigns = db.prepare<[number, number], CampaignRow>(
    `SELECT ${CAMPAIGN} FROM campaigns ORDER BY id DESC LIMIT ? OFFSET ?`,
  );
  const campaignCount = db.prepare<[], number>('SELECT count(*) FROM campaigns').pluck();
  const comments = db.prepare<[number, number, number], CommentRow>(
    `SELECT id, platform_comment_id AS platformCommentId, author_id AS authorId, username, comment_text AS commentText,
      commented_at AS commentedAt, created_at AS createdAt
      FROM comments WHERE challenge_id = ? ORDER BY commented_at DESC, id DESC LIMIT ? OFFSET ?`,
  );
  const commentCount = db.prepare<[number], number>('SELECT count(*) FROM comments WHERE challenge_id = ?').pluck();
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
  const register = db.transaction((externalId: string, platform: string, handle: string, now: number) => {
    const email = `${externalId}@creators.invalid`;
    const id = creatorOf.get(externalId)?.id ?? Number(insertCreator.run(externalId, email, now).lastInsertRowid);
    return registered(id, externalId, Number(insertAccount.run(id, platform, handle, now).lastInsertRowid), handle);
  });
  const attempt = db.transaction((challengeId: number, externalId: string, now: Date) => {
    const { platform = '', isActive } = challengeOf.get(challengeId) ?? {};
    const userId = creatorOf.get(externalId)?.id ?? 0;
    const handle = handleOf.get(userId, platform)?.handle;
    const isRefused = isActive !== 1 || handle === undefined || attemptOf.get(challengeId, userId) !== undefined;
    if (isRefused) throw new Error('not found, or there already');
    const fields = newAttemptFields(handle, now);
    const { state, retryCount, maxRetries, stateHistory, metadata } = fields;
    const texts = [JSON.stringify(stateHistory), JSON.stringify(metadata)];
    const [at, json] = [now.getTime(), texts];
    const { lastInsertRowid } = insertAttempt.run(userId, challengeId, state, retryCount, maxRetries, ...json, at, at);
    return { id: Number(lastInsertRowid), userId, challengeId, ...fields };
  });
  return {
    campaign: async (id) => ({
      ...campaignView(campaign.get(id)),
      challenge: challenge.get(id),
      myAttempt: null,
    }),
    campaigns: async (limit, offset) => ({
      rows: campaigns.all(limit, offset).map(campaignView),
      total: campaignCount.get() ?? 0,
    }),
    comments: async (challengeId, limit, offset) => ({
      rows: comments
        .all(challengeId, limit, offset)
        .map((row) => ({ ...row, commentedAt: iso(row.commentedAt), createdAt: iso(row.createdAt) })),
      total: commentCount.get(challengeId) ?? 0,
    }),
    register: async ({ externalId, platform, handle }) => register.immediate(externalId, platform, handle, Date.now()),
    createAttempt: async (challengeId, externalId) => attempt.immediate(challengeId, externalId, new Date()),
    async close() {
      db.close();
    },
  };
}

/** A document of Credence, as far as it is looked at here. */
interface Numbered {
  readonly _id: number;
  readonly [field: string]: unknown;
}

/** The same documents, the same counters for ids, the same write concern. Only writes are measured on MongoDB. */
export async function bareMongo(url: string): Promise<BareStore> {
  const client = await MongoClient.connect(url, DURABLE);
  const db = withPrefix(client.db(), DEFAULT_PREFIX);
  const collection = (name: string) => db.collection<Numbered>(name);
  const [creators, accounts, attempts] = [collection('creators'), collection('socialAccounts'), collection('attempts')];
  const unmeasured = async () => {
    throw new Error('Reads are measured on SQLite.');
  };
  return {
    campaign: unmeasured,
    campaigns: unmeasured,
    comments: unmeasured,
    async register({ externalId, platform, handle }) {
      const now = new Date();
      const known = await creators.findOne({ externalId });
      const id = known?._id ?? (await nextId(db, 'creators'));
      const email = `${externalId}@creators.invalid`;
      if (known === null) await creators.insertOne({ _id: id, externalId, email, displayName: null, createdAt: now });
      const account = { _id: await nextId(db, 'socialAccounts'), creatorId: id, platform, platformUsername: handle };
      const rest = {
        profileData: '{}',
        ownershipProven: false,
        platformAccountId: null,
        connectedAt: now,
        disconnectedAt: null,
      };
      await accounts.insertOne({ ...account, ...rest });
      return registered(id, externalId, account._id, handle);
    },
    async createAttempt(challengeId, externalId) {
      const now = new Date();
      const campaign = await collection('campaigns').findOne({ 'challenge.id': challengeId });
      const userId = (await creators.findOne({ externalId }))?._id;
      if (campaign?.isActive !== true || userId === undefined) throw new Error('not found');
      if ((await attempts.findOne({ challengeId, userId })) !== null) throw new Error('exists');
      const account = await accounts.findOne(
        { creatorId: userId, platform: 'tiktok', disconnectedAt: null },
        { sort: { connectedAt: -1, _id: -1 } },
      );
      const fields = newAttemptFields(String(account?.platformUsername), now);
      const attempt = { _id: await nextId(db, 'attempts'), challengeId, userId, ...fields };
      await attempts.insertOne({ ...attempt, metadata: JSON.stringify(fields.metadata), outbox: [] });
      return attempt;
    },
    close: () => client.close(),
  };
}

const registered = (id: number, externalId: string, accountId: number, handle: string) => ({
  user: { id, externalId },
  socialAccount: { id: accountId, platform: 'tiktok', platformUsername: handle, profileData: {} },
});

async function nextId(db: Db, name: string): Promise<number> {
  const counters = db.collection<{ _id: string; value: number }>('counters');
  const counter = await counters.findOneAndUpdate(
    { _id: name },
    { $inc: { value: 1 } },
    { returnDocument: 'after', upsert: true },
  );
  return counter?.value ?? 0;
}

/** An attempt as the database stores it and as Credence begins one. */
function newAttemptFields(handle: string, now: Date) {
  return {
    state: 'created',
    retryCount: 0,
    maxRetries: 3,
    stateHistory: [{ state: 'created', at: now, reason: 'created' }],
    metadata: { origin: 'request', platformUsername: handle },
    createdAt: now,
    updatedAt: now,
  } as const;
}
