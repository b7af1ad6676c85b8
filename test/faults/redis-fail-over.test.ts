/** Fail-overs of Redis: behind one address that leaves connections open to a server that takes no writes any more, and by a sentinel. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createBullMqJobQueue } from '../../adapters/bullmq-jobs/index.ts';
import { createLimiterConnection, createRedisRateLimiter } from '../../adapters/redis-rate-limiter/index.ts';
import { startCall } from '../../adapters/scraping/deadline.ts';
import { createPacer } from '../../adapters/scraping/pacing.ts';
import { systemClock as clock } from '../../core/ports/clock.ts';
import { silentLogger as logger } from '../../core/ports/logger.ts';
import { describeWithRedis, startRedis, startSentinel, type TestRedis } from '../support/redis.ts';
import { openTestStorage } from '../support/storage.ts';
import { createTcpProxy, type ProxyTarget, type TcpProxy } from '../support/tcp-proxy.ts';

type RedisPlace = Pick<Parameters<typeof createRedisRateLimiter>[0], 'url' | 'connection'>;

const addressOf = ({ url }: Pick<TestRedis, 'url'>): ProxyTarget => ({
  host: '127.0.0.1',
  port: Number(new URL(url).port),
});

describeWithRedis('a fail-over of Redis', () => {
  let servers: readonly [TestRedis, TestRedis];
  let proxy: TcpProxy;
  // Before each try, or a second one would begin where the first has failed over already.
  beforeEach(async () => {
    servers = [await startRedis(), await startRedis()];
    proxy = await createTcpProxy(addressOf(servers[0]));
  });
  afterEach(async () => {
    await proxy.close();
    for (const server of servers) await server.close();
  });

  async function failOver(): Promise<void> {
    const old = new Redis(servers[0].url);
    const { host, port } = addressOf(servers[1]);
    await old.replicaof(host, port);
    proxy.redirect({ host, port });
    // What asks the server that was the primary is refused from now on.
    await expect(old.set('anything', 1)).rejects.toThrow(/READONLY/);
    old.disconnect();
  }

  /** Limits, the pace and the queue, before and after. */
  async function expectToContinue(place: RedisPlace, failOver: () => Promise<void>): Promise<void> {
    const limiter = createRedisRateLimiter(place);
    const direct = createRedisRateLimiter({ url: servers[1].url });
    const connection = createLimiterConnection(place);
    const rate = { burst: 1_000, refillEveryMs: 60_000, spacingMs: 1, concurrency: 5 };
    const pacer = createPacer({ mode: 'safe', rates: { page: rate }, name: 'fail-over', connection });
    const { storage, close } = await openTestStorage('sqlite');
    const queue = createBullMqJobQueue({ ...place, store: storage.jobs, clock, logger });
    const rule = { name: 'fail-over', units: 1_000, windowSeconds: 60 };
    const ran: number[] = [];
    async function read(): Promise<unknown> {
      const time = startCall({ deadline: new Date(Date.now() + 3_000) }, 3_000, clock, new AbortController().signal);
      try {
        return await pacer.run('anonymous', 'page', time, async () => 'read').catch((error: unknown) => error);
      } finally {
        time.end();
      }
    }
    const enqueue = (attemptId: number) =>
      queue.enqueue([{ type: 'issue-reward', key: `reward:${attemptId}`, payload: { attemptId } }]);
    try {
      await queue.start({ 'issue-reward': async ({ attemptId }) => void ran.push(attemptId) });
      await limiter.consume(rule, 'key', 1);
      expect(await read()).toBe('read');
      await enqueue(1);
      await vi.waitFor(() => expect(ran).toEqual([1]), 10_000);

      await failOver();

      await vi.waitFor(() => enqueue(2), 15_000);
      await vi.waitFor(() => expect(ran).toContain(2), 15_000);
      await vi.waitFor(async () => expect(await read()).toBe('read'), { timeout: 15_000, interval: 100 });
      // Counted where another process counts.
      await vi.waitFor(
        async () => {
          const { remaining } = await limiter.consume(rule, 'key', 1);
          expect((await direct.consume(rule, 'key', 1)).remaining).toBe(remaining - 1);
        },
        { timeout: 15_000, interval: 100 },
      );
    } finally {
      await queue.stop(0);
      await Promise.all([queue.close(), limiter.close(), direct.close()]);
      await close();
      pacer.close();
      await connection.disconnect();
    }
  }

  it('that keeps connections open: all continues with the new primary', () =>
    expectToContinue({ url: `redis://127.0.0.1:${proxy.port}` }, failOver));

  it('by a sentinel: all continues through the client of the host', async () => {
    const sentinel = await startSentinel(servers[0], servers[1]);
    const connection = new Redis({ sentinels: [addressOf(sentinel)], name: 'main' }).on('error', () => undefined);
    try {
      await expectToContinue({ connection }, () => servers[0].stop());
    } finally {
      connection.disconnect();
      await sentinel.close();
    }
  });
});
