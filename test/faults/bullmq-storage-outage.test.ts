/** With BullMQ, jobs keep being handed out while the storage that their handlers need is away. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createBullMqJobQueue } from '../../adapters/bullmq-jobs/index.ts';
import { DomainError } from '../../core/errors.ts';
import { systemClock as clock } from '../../core/ports/clock.ts';
import { silentLogger as logger } from '../../core/ports/logger.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { openTestStorage } from '../support/storage.ts';

/** A storage's part whose calls fail, as they do while it is away, whenever `isAway` says so. */
function detachable<T extends object>(part: T, isAway: () => boolean): T {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...values: unknown[]) => {
        if (isAway()) throw new DomainError('SERVICE_UNAVAILABLE', 'The storage cannot be reached; try again.');
        return Reflect.apply(method, target, values);
      };
    },
  });
}

async function openWorld(url: string) {
  const { storage, close } = await openTestStorage('sqlite');
  let isAway = false;
  const reach = <T extends object>(part: T) => detachable(part, () => isAway);
  const reached = { brands: reach(storage.brands) };
  const queue = createBullMqJobQueue({
    url,
    prefix: randomUUID(),
    store: reach(storage.jobs),
    clock,
    logger,
    maxRuns: 3,
    backoffMs: 1,
    maxBackoffMs: 5,
  });
  const starts = { read: 0, write: 0, concluded: 0 };
  const onDeadLetter = async () => {
    starts.concluded += 1;
    await reached.brands.list();
  };
  const done: string[] = [];
  const handlers = {
    'verify-attempt': {
      run: async () => {
        starts.read += 1;
        await reached.brands.list();
        done.push('read');
      },
      onDeadLetter,
    },
    'issue-reward': {
      run: async () => {
        starts.write += 1;
        await reached.brands.create({ name: 'b', slug: 'b', logoUrl: null, createdAt: clock.now() });
        done.push('written');
      },
      onDeadLetter,
    },
  };
  return {
    ...{ storage, queue, handlers, starts, done },
    leave: () => {
      isAway = true;
    },
    comeBack: () => {
      isAway = false;
    },
    async close() {
      await queue.stop(0);
      await queue.close();
      await close();
    },
  };
}

describeWithRedis('BullMQ and a storage that is away for long', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  it('nothing is lost and nothing fails, however often its jobs are tried meanwhile', async () => {
    const world = await openWorld(redis.url);
    const { storage, queue, starts } = world;
    try {
      await queue.enqueue([
        { type: 'verify-attempt', key: 'verify:1', payload: { attemptId: 1 } },
        { type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } },
      ]);
      world.leave();
      await queue.start(world.handlers);
      // Many times what a job may fail, be concluded, or be set aside.
      await vi.waitFor(() => expect(Math.min(starts.read, starts.write)).toBeGreaterThan(20), 20_000);
      expect(await queue.stats()).toMatchObject({ dead: 0 });
      world.comeBack();
      await vi.waitFor(() => expect([...world.done].sort()).toEqual(['read', 'written']), 20_000);
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
      expect((await storage.brands.list()).items).toHaveLength(1);
      expect(starts.concluded).toBe(0);
      expect(await storage.jobs.stats(clock.now())).toEqual({ queued: 0, running: 0, dead: 0 });
    } finally {
      await world.close();
    }
  });

  it('a job given up just then is concluded when the storage is back, and leaves one record', async () => {
    const world = await openWorld(redis.url);
    const { storage, queue } = world;
    try {
      let runs = 0;
      let conclusions = 0;
      await queue.start({
        'issue-reward': {
          run: async () => {
            runs += 1;
            throw new Error('a defect');
          },
          onDeadLetter: async () => {
            conclusions += 1;
            // It goes away right after the first conclusion, before the copy is dropped.
            if (conclusions === 1) world.leave();
          },
        },
      });
      await queue.enqueue([{ type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } }]);
      await vi.waitFor(() => expect(conclusions).toBeGreaterThan(4), 20_000);
      expect(await queue.stats()).toMatchObject({ dead: 0 });
      world.comeBack();
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
      expect(runs).toBe(3);
      expect(await storage.jobs.stats(clock.now())).toEqual({ queued: 0, running: 0, dead: 0 });
    } finally {
      await world.close();
    }
  });
});
