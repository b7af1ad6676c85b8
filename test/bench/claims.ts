/** Bursts: creators who claim at once on one post, comments that a platform pushes, and jobs that several processes share. */
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { pieces } from '../../core/bulk.ts';
import { newAttempt } from '../../core/engagement/attempts/new-attempt.ts';
import type { CommentRules } from '../../core/engagement/campaigns/terms.ts';
import type { LinkedCreator } from '../../core/engagement/creators/creator.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { type HostProcess, startHostProcess } from '../load/host-process.ts';
import { listen } from '../support/listen.ts';
import { newFolder } from '../support/new-folder.ts';
import { alone, type Bench, SECONDS, sideBySide, timed } from './measure.ts';
import {
  onEachStorage,
  type Place,
  RULES,
  startChild,
  startSimulator,
  storeCampaign,
  storeCreators,
} from './support.ts';

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

async function secondsOf({ url, storage }: Place, creators: number, comments: number, rules: CommentRules | null) {
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

async function storeAttempts(storage: Storage, challengeId: number, links: readonly LinkedCreator[]) {
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

/** What a busy campaign gets. */
const PUSHES_A_SECOND = 200;
const ACCOUNT = { brandId: 1, accountId: '_000bench', handle: 'northtrail', accessToken: 'bench' };
const APP = { appId: 'bench', appSecret: 'bench-secret' };

export const pushBench: Bench = {
  title: `${PUSHES_A_SECOND} comments a second that a platform pushes, from the push to the webhook of the reward`,
  run(context) {
    const count = context.quick ? 20 : PUSHES_A_SECOND * 60;
    return onEachStorage(context, async (name, open) => {
      await using place = await open();
      const seconds = (await pushAll(place, count)).toSorted((one, other) => one - other);
      const at = (share: number) => [seconds[Math.floor((seconds.length - 1) * share)] ?? Number.NaN];
      const aim = { of: 'figure', atMost: 2 } as const;
      return [
        alone({ name: `${name}, median`, unit: SECONDS, aim }, at(0.5)),
        alone({ name: `${name}, 99 of 100`, unit: SECONDS }, at(0.99)),
      ];
    });
  },
};

/** How long each took, in seconds. */
async function pushAll({ url, storage }: Place, count: number): Promise<readonly number[]> {
  const file = join(newFolder(), 'config.json');
  // Nothing is read: the API is nowhere.
  const official = { ...APP, baseUrl: 'http://127.0.0.1:9', accounts: [ACCOUNT] };
  await writeFile(file, JSON.stringify({ platforms: { tiktok: { official } } }));
  await using host = await startHostProcess({ STORAGE_URL: url, CONFIG_FILE: file });
  const sentAt = new Map<string, number>();
  const seconds: number[] = [];
  const server = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request)) as { readonly data: { readonly externalUserId: string } };
    seconds.push((performance.now() - (sentAt.get(data.externalUserId) ?? Number.NaN)) / 1_000);
    response.end();
  });
  await using receiver = await listen(server);
  const sender = new Pool(host.baseUrl, { connections: CONNECTIONS });
  try {
    await host.call('POST', '/admin/brands', { name: 'Bench', slug: 'bench' });
    const webhook = { url: receiver.url, events: ['reward.issued'] };
    await host.call('POST', `/admin/brands/${ACCOUNT.brandId}/webhooks`, webhook);
    const { challenge } = await storeCampaign(storage);
    const links = await storeCreators(storage, count);
    await storeAttempts(storage, challenge.id, links);
    const known = links.map(({ account: { id } }, index) => ({ linkId: id, accountId: `${APP.appId}/uid-${index}` }));
    for (const some of pieces(known, 1_000)) await storage.creators.rememberAccounts(some, 'scoped');
    const begun = performance.now();
    for (let index = 0; index < count; index += 1) {
      await sleep(Math.max(0, begun + (index * 1_000) / PUSHES_A_SECOND - performance.now()));
      sentAt.set(`creator-${index}`, performance.now());
      void sendPush(sender, challenge.contentId, index);
    }
    while (seconds.length < count) await sleep(50);
    return seconds;
  } finally {
    await sender.close();
  }
}

async function sendPush(sender: Pool, videoId: string, index: number): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const comment = { comment_id: `${7_000_000_000_000_000 + index}`, video_id: videoId, comment_action: 'insert' };
  const content = { ...comment, timestamp, unique_identifier: `uid-${index}`, text: 'Count me in!' };
  const body = JSON.stringify({ event: 'comment.update', user_openid: ACCOUNT.accountId, content });
  const mac = createHmac('sha256', APP.appSecret).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'tiktok-signature': `t=${timestamp},s=${mac}` };
  const answer = await sender.request({ method: 'POST', path: '/push/tiktok', headers, body });
  if (answer.statusCode !== 200) throw new Error(`A push was answered with ${answer.statusCode}.`);
  await answer.body.dump();
}

/** As long as a read of a platform: most jobs wait for one. */
const JOB_MS = 50;
const PROCESSES = 4;

export const jobsBench: Bench = {
  title: `Jobs of ${JOB_MS} ms in several processes, each with the slots of a host`,
  run: (context) =>
    onEachStorage(context, async (name, open) => {
      // SQLite is for one process. Quick runs have no other storage.
      if (name === 'SQLite' && !context.quick) return [];
      await using place = await open();
      const jobsEach = context.quick ? 20 : 200;
      const measure = (processes: number) => () => jobsPerSecond(place, processes, jobsEach * processes);
      const row = await sideBySide({
        name: `${name}, ${PROCESSES} processes`,
        unit: { name: 'jobs/s', better: 'higher' },
        subject: measure(PROCESSES),
        reference: { name: 'one process', measure: measure(1) },
        rounds: context.quick ? 1 : 3,
        aim: { of: 'ratio', atLeast: 3 },
      });
      return [row];
    }),
};

/** From the first job that ends to the last. */
async function jobsPerSecond({ url, storage }: Place, processes: number, jobs: number): Promise<number> {
  await using workers = new AsyncDisposableStack();
  const ends: number[] = [];
  const starts = Array.from({ length: processes }, () => startChild(new URL(import.meta.url), url));
  for (const worker of await Promise.all(starts)) {
    workers.use(worker).process.on('message', () => ends.push(performance.now()));
  }
  await storage.jobs.enqueue(
    Array.from({ length: jobs }, (_, id) => ({ type: 'refresh-metrics', key: `${id}`, payload: { challengeId: id } })),
    new Date(),
  );
  while (ends.length < jobs) await sleep(20);
  return (jobs - 1) / (((ends.at(-1) ?? 0) - (ends[0] ?? 0)) / 1_000);
}

async function runJobs(url: string): Promise<void> {
  const storage = storageOf(url);
  await storage.open();
  const queue = createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger });
  await queue.start({
    async 'refresh-metrics'() {
      await sleep(JOB_MS);
      process.send?.('done');
    },
  });
  process.send?.('ready');
  process.once('disconnect', () => process.exit());
}

if (import.meta.main) await runJobs(JSON.parse(process.argv[2] ?? ''));
