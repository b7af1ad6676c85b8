/** Bursts: creators who claim at once on one post, and jobs that several processes share. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { newAttempt } from '../../core/engagement/attempts/new-attempt.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import { storageOf } from '../../plugins/compose/modules/storage.ts';
import { type HostProcess, startHostProcess } from '../load/host-process.ts';
import { alone, type Bench, SECONDS, sideBySide, timed } from './measure.ts';
import { onEachStorage, type Place, startChild, startSimulator, storeCampaign, storeCreators } from './support.ts';

/** Of other people, among those of the creators. */
const OTHER_COMMENTS = 2_000;
const CONNECTIONS = 64;

export const claimsBench: Bench = {
  title: 'Creators who claim at once on one post, until all of them are rewarded',
  run(context) {
    const { quick } = context;
    const creators = quick ? 10 : 2_000;
    return onEachStorage(context, async (name, open) => {
      const seconds: number[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round += 1) {
        await using place = await open();
        seconds.push(await secondsOf(place, creators, quick ? 40 : OTHER_COMMENTS));
      }
      const row = { name: `${creators.toLocaleString('en')} claims on ${name}`, unit: SECONDS } as const;
      return [alone({ ...row, aim: { of: 'figure', atMost: 8 } }, seconds)];
    });
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

/** As long as a read of a platform: most jobs wait for one. */
const JOB_MS = 50;
const PROCESSES = 4;

export const jobsBench: Bench = {
  title: `Jobs of ${JOB_MS} ms in several processes, each with the slots of a host`,
  run: (context) =>
    onEachStorage(context, async (name, open) => {
      // Its place is beside one process.
      if (name === 'SQLite') return [];
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
  process.once('disconnect', async () => {
    await queue.stop(0);
    await storage.close();
  });
}

if (import.meta.main) await runJobs(JSON.parse(process.argv[2] ?? ''));
