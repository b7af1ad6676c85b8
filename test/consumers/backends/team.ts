/** What the backends of one team share: their users, their campaign, their ledger of points. */
import type { Caller, Credence, CredenceConfig, Identify } from 'credence';
import { mongodb } from 'credence/adapters/mongodb';
import { postgres } from 'credence/adapters/postgres';
import { MongoClient } from 'mongodb';
import pg from 'pg';

interface User {
  readonly name: string;
  readonly role: Caller['role'];
}

const SESSIONS: ReadonlyMap<string, User> = new Map([
  ['session-of-olga', { name: 'olga', role: 'admin' }],
  ['session-of-ada', { name: 'ada', role: 'creator' }],
]);

/** A request that the backend's own authentication has seen. */
export interface WithUser {
  user?: User;
}

/** The user of a session cookie. */
export function userOf(cookie: string | undefined): User | undefined {
  return SESSIONS.get(/^session=(.*)$/.exec(cookie ?? '')?.[1] ?? '');
}

/** Credence believes the backend's own authentication, and nobody else. */
export const identify: Identify = (native) => {
  const { user } = native as WithUser;
  if (user === undefined) return null;
  const externalId = user.role === 'creator' ? user.name : null;
  return { role: user.role, tokenId: null, externalId, key: `user:${user.name}` };
};

const { POSTGRES_URL, MONGO_URL } = process.env;
/** The connections that the backends have anyway, one each. */
export const pool = POSTGRES_URL === undefined ? undefined : new pg.Pool({ connectionString: POSTGRES_URL, max: 4 });
export const client = MONGO_URL === undefined ? undefined : new MongoClient(MONGO_URL);
const storages = [
  pool === undefined ? 'sqlite::memory:' : postgres({ pool }),
  client === undefined ? 'sqlite::memory:' : mongodb({ client }),
];

/** Of the next backend. */
export const configure = (): CredenceConfig => ({
  storage: storages.shift(),
  secrets: { key: new Uint8Array(32) },
  adminToken: 'a-token-that-the-team-never-uses',
  platforms: { pacing: 'off', tiktok: { baseUrl: process.env.TIKTOK_BASE_URL } },
});

/** Points by user, credited by an event. */
export function keepLedger(credence: Credence): ReadonlyMap<string, number> {
  const points = new Map<string, number>();
  const seen = new Set<string>();
  credence.on(
    'reward.issued',
    async ({ data: { externalUserId: user = '', points: won = 0 }, messageId }) => {
      if (seen.has(messageId)) return;
      seen.add(messageId);
      points.set(user, (points.get(user) ?? 0) + won);
    },
    { name: 'ledger' },
  );
  return points;
}

/** Opens a campaign and takes a creator through it, in process. */
export async function launch(
  credence: Credence,
  targetUrl: string,
): Promise<{ campaignId: number; attemptId: number }> {
  const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
  const { campaign, challenge } = await credence.campaigns.create({
    brandId: brand.id,
    title: 'Spring',
    pointsReward: 50,
    challenge: { targetUrl },
  });
  await credence.creators.register({ externalId: 'ada', platform: 'tiktok', handle: 'ada.runs' });
  const { id: attemptId } = await credence.attempts.create({ challengeId: challenge.id, externalId: 'ada' });
  const attempt = { challengeId: challenge.id, attemptId };
  await credence.attempts.progress({ ...attempt, action: 'target_opened' });
  await credence.attempts.progress({ ...attempt, action: 'claim_completion' });
  return { campaignId: campaign.id, attemptId };
}

/** Whether Credence has left the connections of the team open. */
export async function tellOfConnections(): Promise<void> {
  const answers = [await pool?.query('SELECT 1 AS ok'), await client?.db().command({ ping: 1 })];
  console.log(`still connected: ${answers.filter((answer) => answer !== undefined).length}`);
  await pool?.end();
  await client?.close();
}

export const listening = (port: number): void => console.log(`listening on http://127.0.0.1:${port}`);
