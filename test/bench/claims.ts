/** Creators who claim at once on one post. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { newAttempt } from '../../core/engagement/attempts/new-attempt.ts';
import type { CommentRules } from '../../core/engagement/campaigns/terms.ts';
import type { LinkedCreator } from '../../core/engagement/creators/creator.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';
import { alone, type Bench, SECONDS, timed } from './measure.ts';
import { onEachStorage, type Place, RULES, startSimulator, storeCampaign, storeCreators } from './support.ts';

/** Of other people, among those of the creators. */
const OTHER_COMMENTS = 2_000;
const CONNECTIONS = 64;

export const claimsBench: Bench = {
  title: 'Creators who claim at once on one post, until all of them are rewarded',
  run(context) {
    const { quick } = context;
    const creators = quick ? 10 : 2_000;
    return onEachStorage(context, async (name, open) => {
      const rows = [];
      for (const rules of [null, RULES]) {
        const seconds: number[] = [];
        for (let round = 0; round < (quick ? 1 : 3); round += 1) {
          await using place = await open();
          seconds.push(await secondsOf(place, creators, quick ? 40 : OTHER_COMMENTS, rules));
        }
        const what = `${creators.toLocaleString('en')} claims on ${name}${rules ? ', with rules' : ''}`;
        rows.push(alone({ name: what, unit: SECONDS, aim: { of: 'figure', atMost: 8 } }, seconds));
      }
      return rows;
    });
  },
};

async function secondsOf(
  { url, storage }: Place,
  creators: number,
  comments: number,
  rules: CommentRules | null,
): Promise<number> {
  await using simulator = await startSimulator({ posts: 1, comments, authors: creators });
  const { campaign, challenge } = await storeCampaign(storage, simulator.ready.urls[0], rules);
  const links = await storeCreators(storage, creators);
  const attemptIds = await storeAttempts(storage, challenge.id, links);
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl, STORAGE_URL: url });
  const milliseconds = await timed(async () => {
    await claimAll(host, challenge.id, attemptIds);
    for (let rewarded = 0; rewarded < creators; await sleep(200)) {
      const summary = await host.call<Summary>('GET', `/admin/campaigns/${campaign.id}/summary`);
      rewarded = summary.data.totalRewarded;
    }
  });
  return milliseconds / 1_000;
}

async function storeAttempts(
  storage: Storage,
  challengeId: number,
  links: readonly LinkedCreator[],
): Promise<readonly number[]> {
  const created = await storage.attempts.create(
    links.map(({ creator, account }) => ({
      attempt: newAttempt({ userId: creator.id, challengeId, username: account.platformUsername, now: new Date() }),
      outbox: () => [],
    })),
  );
  return created.flatMap((result) => (result.kind === 'created' ? [result.attempt.id] : []));
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
