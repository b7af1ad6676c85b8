import { randomUUID } from 'node:crypto';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BullMqJobQueue, createBullMqJobQueue } from '../../../adapters/bullmq-jobs/index.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { RescheduleError } from '../../../core/ports/job-queue.ts';
import type { JobStore } from '../../../core/ports/job-store.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { openTestStorage } from '../../support/storage.ts';
import { jobQueueContract } from './suite.ts';

const verifyJob = (attemptId: number, runAt?: Date) => ({
  type: 'verify-attempt' as const,
  key: `verify:${attemptId}`,
  payload: { attemptId },
  ...(runAt ? { runAt } : {}),
});

describeWithRedis('BullMQ job queue', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  function create(
    prefix: string,
    store: JobStore,
    leaseSeconds = 0.9,
    place: object = { url: redis.url },
  ): BullMqJobQueue {
    return createBullMqJobQueue({
      ...place,
      prefix,
      clock: systemClock,
      logger: silentLogger,
      leaseSeconds,
      maxRuns: 3,
      backoffMs: 10,
      maxBackoffMs: 80,
      // Nothing gets lost here; a copy that is put back beside a slow run would run twice, as it may.
      recoverAfterSeconds: 30,
      concurrency: { 'verify-attempt': 4, 'issue-reward': 4 },
      store,
    });
  }

  it.each(['a server', 'a cluster'])(
    "runs jobs through the host's own client of %s, and leaves it open",
    async (kind) => {
      const server = await startRedis({ isCluster: kind === 'a cluster' });
      const direct = new Redis(server.url);
      if (kind === 'a cluster') await direct.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      const connection = kind === 'a cluster' ? new Cluster([server.url]) : direct.duplicate({ keyPrefix: 'theirs:' });
      const { storage, close } = await openTestStorage('sqlite');
      const queue = create(randomUUID(), storage.jobs, 5, { connection });
      const ran: unknown[] = [];
      await queue.start({ 'verify-attempt': async (payload) => void ran.push(payload) });
      await queue.enqueue([verifyJob(1)]);
      await vi.waitFor(() => expect(ran).toEqual([{ attemptId: 1 }]), 10_000);
      await queue.stop(1_000);
      await queue.close();
      expect(await connection.ping()).toBe('PONG');
      for (const client of [connection, direct]) client.disconnect();
      await Promise.all([close(), server.close()]);
    },
  );

  jobQueueContract({
    name: 'BullMQ',
    open: async () => {
      const prefix = randomUUID();
      const { storage, close } = await openTestStorage('sqlite');
      const made: BullMqJobQueue[] = [];
      return {
        createQueue(leaseSeconds) {
          const queue = create(prefix, storage.jobs, leaseSeconds);
          made.push(queue);
          return queue;
        },
        async close() {
          await Promise.all(made.map((queue) => queue.close()));
          await close();
        },
      };
    },
  });

  it('a job whose process died in its last run is concluded by another, without a further run', async () => {
    const prefix = randomUUID();
    const { storage, close } = await openTestStorage('sqlite');
    const queue = createBullMqJobQueue({
      url: redis.url,
      prefix,
      store: storage.jobs,
      clock: systemClock,
      logger: silentLogger,
      leaseSeconds: 0.3,
      maxRuns: 1,
    });
    await queue.enqueue([verifyJob(1)]);
    // Somebody who takes the job and is never heard of again.
    const { Worker } = await import('bullmq');
    const { hostname: host, port } = new URL(redis.url);
    const dying = new Worker('verify-attempt', null, {
      connection: { host, port: Number(port) },
      prefix,
      lockDuration: 300,
    });
    expect(await dying.getNextJob('token')).toBeDefined();
    await dying.close(true);
    const events: string[] = [];
    await queue.start({
      'verify-attempt': {
        run: async () => void events.push('ran'),
        onDeadLetter: async (_payload, { error }) => void events.push(error),
      },
    });
    await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
    expect(events).toEqual(['Error: Never seen to end in 1 runs.']);
    await queue.stop(0);
    await queue.close();
    await close();
  });

  it('refuses what is no Redis, and unusable prefixes', async () => {
    const { storage, close } = await openTestStorage('sqlite');
    const options = { store: storage.jobs, clock: systemClock, logger: silentLogger };
    expect(() => createBullMqJobQueue({ ...options, url: 'http://127.0.0.1' })).toThrow(/redis:/);
    expect(() => createBullMqJobQueue({ ...options, url: redis.url, prefix: 'a:b' })).toThrow(/letters/);
    await close();
  });
});

describeWithRedis('BullMQ and a Redis that forgets', () => {
  async function world() {
    const redis = await startRedis();
    const { storage, close } = await openTestStorage('sqlite');
    const made: BullMqJobQueue[] = [];
    return {
      redis,
      storage,
      create({ leaseSeconds = 0.9, recoverAfterSeconds = 0.4 } = {}) {
        const queue = createBullMqJobQueue({
          url: redis.url,
          store: storage.jobs,
          clock: systemClock,
          logger: silentLogger,
          leaseSeconds,
          maxRuns: 2,
          backoffMs: 10,
          recoverAfterSeconds,
        });
        made.push(queue);
        return queue;
      },
      async close() {
        for (const queue of made) await queue.stop(0);
        await Promise.all(made.map((queue) => queue.close()));
        await close();
        await redis.close();
      },
    };
  }

  const copies = (stage: Awaited<ReturnType<typeof world>>) => stage.storage.jobs.stats(new Date());

  it.concurrent('jobs that were handed over and lost with Redis run after all; no copy of them stays', async () => {
    const stage = await world();
    try {
      const queue = stage.create();
      const ids = Array.from({ length: 60 }, (_, index) => index + 1);
      await queue.enqueue(ids.map((id) => verifyJob(id)));
      expect(await queue.stats()).toMatchObject({ queued: 60 });
      await stage.redis.stop();
      await stage.redis.start();
      await vi.waitFor(async () => expect(await queue.stats()).toMatchObject({ queued: 0 }), 10_000);
      const ran = new Set<number>();
      await queue.start({ 'verify-attempt': async ({ attemptId }) => void ran.add(attemptId) });
      await vi.waitFor(() => expect([...ran].sort((a, b) => a - b)).toEqual(ids), 15_000);
      await vi.waitFor(async () => expect(await copies(stage)).toMatchObject({ queued: 0, running: 0 }), 10_000);
    } finally {
      await stage.close();
    }
  });

  it.concurrent('workers survive a Redis that goes away, and take up work when it is back', async () => {
    const stage = await world();
    try {
      const queue = stage.create();
      const ran: number[] = [];
      await queue.start({ 'verify-attempt': async ({ attemptId }) => void ran.push(attemptId) });
      await queue.enqueue([verifyJob(1)]);
      await vi.waitFor(() => expect(ran).toEqual([1]), 10_000);
      await stage.redis.stop();
      await expect(queue.enqueue([verifyJob(2)])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await stage.redis.start();
      await vi.waitFor(() => expect(ran).toContain(2), 15_000);
    } finally {
      await stage.close();
    }
  });

  it.concurrent('a job postponed is compared with its copy once, and then not before it is due', async () => {
    const stage = await world();
    try {
      // A run that takes longer than that may be repeated.
      const queue = stage.create({ leaseSeconds: 5, recoverAfterSeconds: 2 });
      const at = new Date(Date.now() + 3_600_000);
      let runs = 0;
      await queue.start({
        'verify-attempt': async () => {
          runs += 1;
          throw new RescheduleError(at, 'later');
        },
      });
      await queue.enqueue([1, 2, 3].map((id) => verifyJob(id)));
      await vi.waitFor(
        async () => {
          const due = await stage.storage.jobs.nextDue(['verify-attempt']);
          expect(due?.getTime()).toBeGreaterThan(at.getTime() - 60_000);
          // A copy is moved before the run of its job has ended in Redis.
          expect(await queue.stats()).toEqual({ queued: 3, running: 0, dead: 0 });
        },
        { timeout: 30_000, interval: 50 },
      );
      expect(runs).toBe(3);
    } finally {
      await stage.close();
    }
  });

  it.concurrent('what is still in Redis is not run twice because of its copy; a job given up keeps none', async () => {
    const stage = await world();
    try {
      const queue = stage.create();
      const runs: number[] = [];
      await queue.start({
        'verify-attempt': async ({ attemptId }) => {
          runs.push(attemptId);
          await new Promise((resolve) => setTimeout(resolve, 1_300));
        },
        'issue-reward': async () => {
          throw new Error('never');
        },
      });
      await queue.enqueue([
        verifyJob(1),
        verifyJob(2, new Date(Date.now() + 60_000)),
        { type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } },
      ]);
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 1, running: 0, dead: 1 }), 10_000);
      expect(runs).toEqual([1]);
      expect(await copies(stage)).toEqual({ queued: 1, running: 0, dead: 0 });
    } finally {
      await stage.close();
    }
  });
});

describe('BullMQ without a server', () => {
  it('stops and closes although it never reached Redis', async () => {
    const { storage, close } = await openTestStorage('sqlite');
    const queue = createBullMqJobQueue({
      url: 'redis://127.0.0.1:1',
      store: storage.jobs,
      clock: systemClock,
      logger: silentLogger,
    });
    await queue.start({ 'verify-attempt': async () => undefined });
    await queue.stop(0);
    await queue.close();
    await close();
  });
});
