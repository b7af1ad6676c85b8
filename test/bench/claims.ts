/** Many creators claim at once on one post: seconds from the first claim until the last reward. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { newAttempt } from '../../core/engagement/attempts/new-attempt.ts';
import { type HostProcess, startHostProcess } from '../load/host-process.ts';
import { alone, type Bench, SECONDS, timed } from './measure.ts';
import {
  mongoPlace,
  type Place,
  postgresPlace,
  sqlitePlace,
  startSimulator,
  storeCampaign,
  storeCreators,
} from './support.ts';

/** Of other people, among those of the creators. */
const OTHER_COMMENTS = 2_000;
const CONNECTIONS = 64;

export const claimsBench: Bench = {
  title: 'Creators who claim at once on one post, until all of them are rewarded',
  async run({ quick, skip, progress }) {
    const creators = quick ? 10 : 2_000;
    const rows = [];
    for (const [name, open] of [
      ['SQLite', sqlitePlace],
      ['PostgreSQL', postgresPlace],
      ['MongoDB', mongoPlace],
    ] as const) {
      progress(name);
      const seconds: number[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round += 1) {
        await using place = await open();
        if (place !== null) seconds.push(await secondsOf(place, creators, quick ? 40 : OTHER_COMMENTS));
      }
      const row = { name: `${creators.toLocaleString('en')} claims on ${name}`, unit: SECONDS } as const;
      if (seconds.length > 0) rows.push(alone({ ...row, aim: { of: 'figure', atMost: 8 } }, seconds));
      else skip(name, 'there is no server: install postgresql, name a mongod in MONGOMS_SYSTEM_BINARY');
    }
    return rows;
  },
};

async function secondsOf({ url, storage }: Place, creators: number, comments: number): Promise<number> {
  await using simulator = await startSimulator({ posts: 1, comments, authors: creators });
  const { campaign, challenge } = await storeCampaign(storage, simulator.ready.urls[0]);
  const links = await storeCreators(storage, creators);
  const created = await storage.attempts.create(
    links.map(({ creator, account }) => ({
      attempt: newAttempt({
        userId: creator.id,
        challengeId: challenge.id,
        username: account.platformUsername,
        now: new Date(),
      }),
      outbox: () => [],
    })),
  );
  const attemptIds = created.flatMap((result) => (result.kind === 'created' ? [result.attempt.id] : []));
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl, STORAGE_URL: url });
  const milliseconds = await timed(async () => {
    await claimAll(host, challenge.id, attemptIds);
    for (let rewarded = 0; rewarded < creators; await sleep(50)) {
      const summary = await host.call<Summary>('GET', `/admin/campaigns/${campaign.id}/summary`);
      rewarded = summary.data.totalRewarded;
    }
  });
  return milliseconds / 1_000;
}

interface Summary {
  readonly data: { readonly totalRewarded: number };
}

async function claimAll(host: HostProcess, challengeId: number, attemptIds: readonly number[]): Promise<void> {
  const pool = new Pool(host.baseUrl, { connections: CONNECTIONS });
  const headers = { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ action: 'claim_completion' });
  const claim = async (id: number) => {
    const path = `/admin/challenges/${challengeId}/attempts/${id}`;
    const answer = await pool.request({ method: 'PATCH', path, headers, body });
    if (answer.statusCode !== 200) throw new Error(`A claim was answered with ${answer.statusCode}.`);
    await answer.body.dump();
  };
  try {
    await Promise.all(attemptIds.map(claim));
  } finally {
    await pool.close();
  }
}
