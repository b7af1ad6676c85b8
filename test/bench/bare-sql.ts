/** The raw drivers behind the bare routes: the statements of Credence by hand, flushed as Credence flushes them. */
import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { BareStore } from './bare.ts';

const CAMPAIGN = `id, brand_id AS "brandId", title, description, image_url AS "imageUrl", points_reward AS "pointsReward",
  is_active AS "isActive", starts_at AS "startsAt", ends_at AS "endsAt", created_at AS "createdAt"`;
const CAMPAIGN_OF_ID = `SELECT ${CAMPAIGN} FROM campaigns WHERE id = ?`;
const CHALLENGE = `SELECT id, campaign_id AS "campaignId", platform, content_type AS "contentType", content_id AS "contentId",
  canonical_url AS "canonicalUrl", instruction_text AS "instructionText" FROM challenges WHERE campaign_id = ?`;
const CAMPAIGNS = `SELECT ${CAMPAIGN} FROM campaigns ORDER BY id DESC LIMIT ? OFFSET ?`;
const COMMENTS = `SELECT id, platform_comment_id AS "platformCommentId", author_id AS "authorId", username,
  comment_text AS "commentText", commented_at AS "commentedAt", created_at AS "createdAt"
  FROM comments WHERE challenge_id = ? ORDER BY commented_at DESC, id DESC LIMIT ? OFFSET ?`;
const CHALLENGE_OF_ID = CHALLENGE.replace('campaign_id = ?', 'id = ?');
const CHALLENGE_KEPT = 'SELECT 1 FROM challenges WHERE id = ? FOR KEY SHARE';
const CREATORS = 'SELECT id, external_id, email, display_name, avatar_url, created_at FROM creators';
const CREATOR = `${CREATORS} WHERE external_id = ?`;
const CREATOR_LOCKED = `${CREATOR} FOR UPDATE`;
const CREATOR_OF_ID = `${CREATORS} WHERE id = ?`;
const NEW_CREATOR = 'INSERT INTO creators (external_id, email, created_at) VALUES (?, ?, ?) RETURNING id';
const ACCOUNTS = 'SELECT * FROM social_accounts WHERE creator_id = ? ORDER BY id';
const NEW_ACCOUNT = `INSERT INTO social_accounts (creator_id, platform, handle, profile_data, ownership_proven, connected_at)
  VALUES (?, ?, ?, '{}', 0, ?) RETURNING id`;
const ATTEMPT = 'SELECT * FROM attempts WHERE challenge_id = ? AND user_id = ?';
const ATTEMPT_OF_ID = 'SELECT * FROM attempts WHERE id = ?';
const NEW_ATTEMPT = `INSERT INTO attempts (user_id, challenge_id, state, retry_count, max_retries, state_history, metadata,
  points_awarded, created_at, updated_at, revision) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0)
  ON CONFLICT (challenge_id, user_id) DO NOTHING RETURNING id`;
const AUDIT = `INSERT INTO audit_log (at, actor, role, operation, outcome, request_id)
  VALUES (?, 'token:configured', 'admin', ?, 'unknown', ?) RETURNING id`;
const AUDITED = `UPDATE audit_log SET outcome = 'succeeded', state_after = ? WHERE id = ? AND outcome = 'unknown'`;

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
const campaignView = ({ isActive, startsAt, endsAt, createdAt, ...rest }: CampaignRow) => ({
  ...rest,
  isActive: isActive === 1,
  startsAt: startsAt === null ? null : iso(startsAt),
  endsAt: endsAt === null ? null : iso(endsAt),
  createdAt: iso(createdAt),
});
const commentView = ({ commentedAt, createdAt, ...rest }: CommentRow) => ({
  ...rest,
  commentedAt: iso(commentedAt),
  createdAt: iso(createdAt),
});

type Statement = readonly [text: string, ...values: (string | number)[]];
/** Statements one after the other, each answered with its rows; the statement says what these are. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Steps<T> = Generator<Statement, T, any[]>;
/** Runs them on a database; a write in a transaction that is on the disk when it is confirmed. */
type Run = <T>(steps: Steps<T>, kind: 'read' | 'write') => Promise<T>;

/** What is the same on SQLite and PostgreSQL. */
function bareSql(run: Run): Omit<BareStore, 'close'> {
  const read = <Args extends readonly unknown[], T>(steps: (...args: Args) => Steps<T>) => {
    return (...args: Args) => run(steps(...args), 'read');
  };
  return {
    campaign: read(function* (id) {
      const [row] = yield [CAMPAIGN_OF_ID, id];
      const [challenge] = yield [CHALLENGE, id];
      return { ...campaignView(row), challenge, myAttempt: null };
    }),
    campaigns: read(function* (limit, offset) {
      const rows = yield [CAMPAIGNS, limit, offset];
      const [{ total }] = yield ['SELECT count(*) AS total FROM campaigns'];
      return { rows: rows.map(campaignView), total };
    }),
    comments: read(function* (challengeId, limit, offset) {
      const rows = yield [COMMENTS, challengeId, limit, offset];
      const [{ total }] = yield ['SELECT count(*) AS total FROM comments WHERE challenge_id = ?', challengeId];
      return { rows: rows.map(commentView), total };
    }),
    async register({ externalId, platform, handle }) {
      const now = Date.now();
      const entry = await run(begin('registerAccount', externalId), 'read');
      const made = await run(
        (function* (): Steps<ReturnType<typeof registered>> {
          const [known] = yield [CREATOR_LOCKED, externalId];
          const [{ id }] = known ? [known] : yield [NEW_CREATOR, externalId, `${externalId}@creators.invalid`, now];
          const [account] = yield [NEW_ACCOUNT, id, platform, handle, now];
          return registered(id, externalId, account.id, handle);
        })(),
        'write',
      );
      await run(end(entry, [CREATOR_OF_ID, ACCOUNTS], made.user.id), 'read');
      return made;
    },
    async createAttempt(challengeId, externalId) {
      const now = new Date();
      const entry = await run(begin('createAttempt'), 'read');
      const [fields, userId] = await run(allowed(challengeId, externalId, now), 'read');
      const { state, retryCount, maxRetries, stateHistory, metadata } = fields;
      const texts = [JSON.stringify(stateHistory), JSON.stringify(metadata)];
      const values = [userId, challengeId, state, retryCount, maxRetries, ...texts, now.getTime(), now.getTime()];
      const id = await run(
        (function* (): Steps<number> {
          yield [CHALLENGE_KEPT, challengeId];
          const [made] = yield [NEW_ATTEMPT, ...values];
          return made.id;
        })(),
        'write',
      );
      await run(end(entry, [ATTEMPT_OF_ID], id), 'read');
      return { id, userId, challengeId, ...fields };
    },
  };
}

/** Notes in the audit log that an action begins. */
function* begin(operation: string, externalId?: string): Steps<number> {
  if (externalId !== undefined) yield [CREATOR, externalId];
  const [{ id }] = yield [AUDIT, Date.now(), operation, randomUUID()];
  return id;
}

/** And what there is after it. */
function* end(entry: number, reads: readonly string[], id: number): Steps<void> {
  const after = [];
  for (const text of reads) after.push(...(yield [text, id]));
  yield [AUDITED, JSON.stringify(after), entry];
}

/** @throws Error if this creator may not begin an attempt */
function* allowed(
  challengeId: number,
  externalId: string,
  now: Date,
): Steps<[ReturnType<typeof newAttemptFields>, number]> {
  const [challenge] = yield [CHALLENGE_OF_ID, challengeId];
  const [campaign] = yield [CAMPAIGN_OF_ID, challenge.campaignId];
  const [creator] = yield [CREATOR, externalId];
  const existing = yield [ATTEMPT, challengeId, creator.id];
  const accounts = yield [ACCOUNTS, creator.id];
  const account = accounts.find(({ platform }) => platform === challenge.platform);
  if (campaign.isActive !== 1 || existing.length > 0) throw new Error('over, or there already');
  return [newAttemptFields(account.handle, now), creator.id];
}

export function bareSqlite(path: string): BareStore {
  const db = new Sqlite(path);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const prepared = new Map<string, Sqlite.Statement>();
  const ask = ([text, ...values]: Statement) => {
    // It knows no locks of rows.
    const statement = prepared.get(text) ?? db.prepare(text.replace(/ FOR [A-Z ]+$/, ''));
    prepared.set(text, statement);
    return statement.reader ? statement.all(values) : [statement.run(values)];
  };
  const finish = <T>(steps: Steps<T>): T => {
    let step = steps.next();
    while (!step.done) step = steps.next(ask(step.value));
    return step.value;
  };
  const write = db.transaction(finish) as unknown as { immediate: typeof finish };
  return {
    ...bareSql(async (steps, kind) => (kind === 'read' ? finish(steps) : write.immediate(steps))),
    async close() {
      db.close();
    },
  };
}

export function barePostgres(url: string): BareStore {
  // As many connections as Credence has; numbers are numbers.
  const types = { getTypeParser: (oid: number) => (oid === 20 ? Number : String) };
  const pool = new pg.Pool({ connectionString: url, max: 20, options: '-c search_path=credence' });
  const numbered = new Map<string, string>();
  const finish = async <T>(client: Pick<pg.PoolClient, 'query'>, steps: Steps<T>): Promise<T> => {
    let step = steps.next();
    while (!step.done) {
      const [given, ...values] = step.value;
      let place = 0;
      const text = numbered.get(given) ?? given.replace(/\?/g, () => `$${++place}`);
      numbered.set(given, text);
      step = steps.next((await client.query({ text, values, types })).rows);
    }
    return step.value;
  };
  return {
    ...bareSql(async (steps, kind) => {
      if (kind === 'read') return finish(pool, steps);
      const client = await pool.connect();
      await client.query('BEGIN');
      const result = await finish(client, steps);
      await client.query('COMMIT');
      client.release();
      return result;
    }),
    close: () => pool.end(),
  };
}

export const registered = (id: number, externalId: string, accountId: number, handle: string) => ({
  user: { id, externalId },
  socialAccount: { id: accountId, platform: 'tiktok', platformUsername: handle, profileData: {} },
});

/** An attempt as the database stores it and as Credence begins one. */
export function newAttemptFields(handle: string, now: Date) {
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
