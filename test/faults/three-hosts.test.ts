/**
 * Standalone hosts share one storage and one Redis; one of them is killed while it holds work of every kind. What it
 * held is known, not guessed: the others stand still meanwhile, and continue when it is dead.
 */
import { Redis } from 'ioredis';
import { expect, it, vi } from 'vitest';
import type { ApiClient } from '../support/client.ts';
import type { ReceivedWebhook } from '../support/receiver.ts';
import { describeWithRedis } from '../support/redis.ts';
import { availableKinds } from '../support/storage.ts';
import {
  byMessage,
  claim,
  clientOf,
  EVENTS,
  expectOnce,
  expectPoints,
  make,
  openAttempt,
  prepareScene,
  type Scene,
} from './claim.ts';
import { type Cluster, openCluster, type Queue, turns } from './cluster.ts';
import { killHostsAfterAll } from './host-process.ts';

/** How many creators are in each state when the host dies. */
interface Load {
  readonly early: number;
  readonly delivered: number;
  readonly verifying: number;
  readonly forced: number;
  readonly later: number;
  readonly batch: number;
  readonly whileRedisDies: number;
}

/** How many hosts live on; that several share a leased queue is shown by `many-workers.test.ts`. */
const SURVIVORS: Readonly<Record<Queue, number>> = { leased: 1, bullmq: 2 };

/** The second queue shows that nothing depends on the queue: two of a kind at work are enough, and Redis dies after that. */
const LOADS: Readonly<Record<Queue, Load>> = {
  leased: { early: 3, delivered: 4, verifying: 3, forced: 3, later: 2, batch: 2, whileRedisDies: 0 },
  bullmq: { early: 1, delivered: 2, verifying: 2, forced: 2, later: 2, batch: 1, whileRedisDies: 4 },
};

/** So many pages that a busy machine kills the host before the last one. */
const SWEPT_COMMENTS = 1_500;
const PAGE_LATENCY_MS = 1_500;
/** Units of the batch that one client gets a minute. */
const UNITS = 60;

/** What a host logs that was too busy to keep a lease. */
const LEASE_LOST = /(lease|lock) of a (job|delivery) lost|after its lease was lost|could not renew lock/;
/** What a host logs that does not hear of Redis in time. */
const COUNTED_ALONE = /counts its limits on its own/;
/** Far above what anything takes on a machine that is not busy with other things. */
const WAIT = { timeout: 90_000, interval: 200 };

/** For answers of a host that is about to die. */
const ignore = (): void => undefined;

/** Paths of attempts, by what becomes of them. */
type Attempts = Readonly<Record<'early' | 'delivered' | 'verifying' | 'forced' | 'later', readonly string[]>>;

const named = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}.test${index}`);

async function runningJobs(api: ApiClient): Promise<number> {
  const { text } = await api.call('GET', '/metrics');
  return Number(/^credence_jobs\{state="running"\} (\d+)/m.exec(text)?.[1]);
}

async function takeUnits(api: ApiClient, units: number): Promise<number> {
  const urls = Array.from({ length: units }, (_, index) => `https://example.com/${index}`);
  return (await api.call('POST', '/v1/stats/batch', { body: { urls } })).status;
}

/** Lets what was taken count on for an hour: a minute may be over before a busy machine comes to the next question. */
async function holdUnits(redisUrl: string): Promise<void> {
  const client = new Redis(redisUrl);
  try {
    const keys = await client.keys('*:limit:batch-urls:*');
    expect(keys).toHaveLength(1);
    for (const key of keys) expect(await client.expire(key, 3_600)).toBe(1);
  } finally {
    client.disconnect();
  }
}

/** Waits until `attempts` attempts are rewarded, once each, every event has come, always with one body, and no job is left. */
async function expectAllDone({ storage, receiver }: Cluster, api: ApiClient, scene: Scene, attempts: number) {
  await vi.waitFor(() => expectPoints(api, scene, attempts), WAIT);
  await vi.waitFor(async () => {
    expect(await storage.outbox.pending(10)).toEqual([]);
    const { queued, running, dead } = await storage.jobs.stats(new Date());
    expect([queued, running, dead]).toEqual([0, 0, 0]);
  }, WAIT);
  // Deliveries are no jobs: they have a lease of their own.
  await vi.waitFor(() => expect(byMessage(receiver.received).size).toBe(attempts * EVENTS.length), WAIT);
  expectOnce(receiver, attempts);
}

/** Brings one host to hold deliveries, verifications, a sweep and a reward, and kills it at once. */
async function killAtWork(cluster: Cluster, attempts: Attempts, sweep: string, comment: () => void): Promise<void> {
  const { world, receiver, doomed, others, storage } = cluster;
  const victim = clientOf(doomed.baseUrl);
  // Nobody else is there to take the work; whatever is in hand is in its hands.
  for (const host of others) host.signal('SIGSTOP');

  receiver.hold();
  await Promise.all(attempts.delivered.map((attempt) => claim(victim, attempt)));
  await vi.waitFor(() => expect(receiver.held.size).toBeGreaterThanOrEqual(2), WAIT);

  world.failures.add({ platform: 'tiktok', endpoint: 'comments', shape: 'slow', latencyMs: PAGE_LATENCY_MS });
  const lost = [victim.call('POST', `${sweep}/refresh`).then(ignore, ignore)];
  // Of a comment that was read before, the claim is verified at once.
  comment();
  await Promise.all(attempts.verifying.map((attempt) => claim(victim, attempt)));
  await vi.waitFor(async () => expect(await runningJobs(victim)).toBeGreaterThan(0), WAIT);
  const challengeId = Number(sweep.split('/').at(-2));
  await vi.waitFor(
    async () => expect((await storage.comments.sweep(challengeId))?.totalFetched).toBeGreaterThan(0),
    WAIT,
  );

  const goneSilent = cluster.freezeOnReward();
  for (const attempt of attempts.forced) lost.push(force(victim, attempt).then(ignore, ignore));
  await goneSilent;
  const held = receiver.held.size;
  await doomed.kill();
  for (const host of others) host.signal('SIGCONT');
  await Promise.all(lost);
  expect((await storage.comments.sweep(challengeId))?.status).toBe('running');
  await vi.waitFor(() => expect(receiver.cutOff.length).toBeGreaterThanOrEqual(held), WAIT);
  world.failures.clear();
  receiver.release();
}

/** A long thread, whose challenge nobody takes part in; returns the path of its comments. */
async function prepareSweep(api: ApiClient, { world }: Cluster): Promise<string> {
  const post = world.addPost({ platform: 'tiktok', owner: 'northtrail', comments: SWEPT_COMMENTS });
  const brand = await make(api, '/admin/brands', { name: 'Brand', slug: 'swept' });
  const targetUrl = `https://www.tiktok.com/@northtrail/video/${post.contentId}`;
  const { challenge } = await make(api, '/admin/campaigns', {
    brandId: brand.id,
    title: 'Winter',
    pointsReward: 1,
    challenge: { targetUrl, instructionText: 'Comment' },
  });
  return `/admin/challenges/${challenge?.id}/comments`;
}

/** Like a client that heard nothing of an earlier request. */
async function force(api: ApiClient, attempt: string): Promise<void> {
  const answer = await api.call('POST', `${attempt}/force-verify`);
  expect([200, 409], answer.text).toContain(answer.status);
}

async function loseOneHost(cluster: Cluster, queue: Queue): Promise<void> {
  const { world, receiver, doomed, others } = cluster;
  const next = turns([doomed, ...others]);
  const load = LOADS[queue];
  const handles = {
    early: named('early', load.early),
    delivered: named('delivered', load.delivered),
    verifying: named('verifying', load.verifying),
    forced: named('forced', load.forced),
    later: named('later', load.later),
    batch: named('batch', load.batch),
    redis: named('redis', load.whileRedisDies),
  };
  const { verifying, ...early } = handles;
  const scene = await prepareScene(next(), world, receiver, Object.values(early).flat());
  const open = (some: readonly string[]) => Promise.all(some.map((handle) => openAttempt(next(), scene, handle)));
  const attempts = {
    early: await open(handles.early),
    delivered: await open(handles.delivered),
    verifying: await open(handles.verifying),
    forced: await open(handles.forced),
    later: await open(handles.later),
  };
  const sweep = await prepareSweep(next(), cluster);
  // Again, should it count alone at first: nothing is to be found in Redis then.
  await vi.waitFor(async () => {
    expect(await takeUnits(clientOf(doomed.baseUrl), UNITS / 3)).toBe(200);
    await holdUnits(cluster.redis.url);
  }, WAIT);

  await Promise.all(attempts.early.map((attempt) => claim(next(), attempt)));
  await receiver.waitFor(load.early * EVENTS.length, WAIT.timeout);

  await killAtWork(cluster, attempts, sweep, () => verifying.forEach(scene.comment));

  const nextOther = turns(others);
  const taken = [];
  for (let time = 0; time < 4; time += 1) taken.push(await takeUnits(nextOther(), UNITS / 3));
  // What the dead one counted counts on; a host that was too busy to hear of Redis in time counts alone for a while.
  if (!others.some((host) => COUNTED_ALONE.test(host.log()))) expect(taken).toEqual([200, 200, 429, 429]);
  await Promise.all(attempts.forced.map((attempt) => force(nextOther(), attempt)));
  await Promise.all(attempts.later.map((attempt) => claim(nextOther(), attempt)));
  for (const handle of handles.batch) {
    await make(nextOther(), '/social-accounts', { externalId: `ext-${handle}`, platform: 'tiktok', handle });
  }
  expect((await nextOther().call('POST', `${scene.challenge}/comments/refresh`)).status).toBe(200);
  expect((await nextOther().call('POST', `${scene.campaign}/verify-and-reward`)).status).toBe(200);
  const total = Object.values(attempts).flat().length + load.batch;
  await expectAllDone(cluster, nextOther(), scene, total);
  const { json } = await nextOther().call('GET', `${sweep}?limit=1`);
  expect(json.pagination?.total).toBe(SWEPT_COMMENTS);
  await expectRepeatsOfTheDeadOnly(cluster);
  if (queue === 'bullmq') await loseRedis(cluster, scene, handles.redis, total);
}

/** What was sent more than once had been in the hands of the dead one. A host that was too busy to keep its leases may, too. */
async function expectRepeatsOfTheDeadOnly({ receiver, others }: Cluster): Promise<void> {
  const idOf = ({ headers }: ReceivedWebhook) => headers['webhook-id'];
  const cutOff = new Set(receiver.cutOff.map(idOf));
  const repeated = () => [...byMessage(receiver.received)].filter(([, copies]) => copies.length > 1).map(([id]) => id);
  // The dead one's leases last a while, maybe longer than all other work.
  await vi.waitFor(() => expect(repeated()).toEqual(expect.arrayContaining([...cutOff])), WAIT);
  const lapsed = others.some((host) => LEASE_LOST.test(host.log()));
  if (!lapsed) expect(new Set(repeated())).toEqual(cutOff);
}

/** Redis dies with jobs in it and comes back without them; `before` attempts were done earlier. */
async function loseRedis(cluster: Cluster, scene: Scene, handles: readonly string[], before: number): Promise<void> {
  const { receiver, redis, others, storage } = cluster;
  const next = turns(others);
  const attempts = await Promise.all(handles.map((handle) => openAttempt(next(), scene, handle)));
  receiver.hold();
  const [missed = '', ...claimed] = attempts;
  await Promise.all(claimed.map((attempt) => claim(next(), attempt)));
  // Every event has its job; of some the delivery is under way, the others wait in Redis.
  await vi.waitFor(async () => {
    const { json } = await next().call('GET', `${scene.campaign}/summary`);
    expect(json.data).toMatchObject({ totalRewarded: before + claimed.length });
  }, WAIT);
  await vi.waitFor(async () => expect(await storage.outbox.pending(10)).toEqual([]), WAIT);
  await vi.waitFor(() => expect(receiver.held.size).toBeGreaterThanOrEqual(2), WAIT);
  await redis.stop();
  receiver.release();
  await claim(next(), missed);
  await redis.start();
  await expectAllDone(cluster, next(), scene, before + handles.length);
}

killHostsAfterAll();
/** MongoDB shows the second queue. */
const CASES = [
  ['mongodb', 'leased'],
  ['mongodb', 'bullmq'],
  ['postgres', 'leased'],
] as const;
const kinds = await availableKinds();

describeWithRedis('hosts on one storage and one Redis, of which one is killed at work', () => {
  // Side by side: much of the time goes into waiting for leases.
  it.concurrent.each(CASES.filter(([kind]) => kinds.includes(kind)))(
    'lose nothing, repeat nothing that was not in its hands, and continue: %s, JOB_QUEUE=%s',
    async (kind, queue) => {
      await using cluster = await openCluster(kind, queue, SURVIVORS[queue]);
      try {
        await loseOneHost(cluster, queue);
      } catch (error) {
        console.error([cluster.doomed, ...cluster.others].map((host) => host.log()).join('\n'));
        throw error;
      }
    },
    600_000,
  );
});
