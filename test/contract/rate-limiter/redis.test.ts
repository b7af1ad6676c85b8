import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLimiterConnection, createRedisRateLimiter } from '../../../adapters/redis-rate-limiter/index.ts';
import type { LimitDecision, RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { rateLimiterContract } from './suite.ts';

const BURST = fileURLToPath(new URL('./burst-process.ts', import.meta.url));
const rule = { name: 'shared', units: 30, windowSeconds: 60 };

describeWithRedis('rate limiter on a real redis-server', () => {
  let redis: TestRedis;
  const open = () => createRedisRateLimiter({ url: redis.url });
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  rateLimiterContract({ name: 'Redis', open: async () => open() });

  it('counts for several limiters together', async () => {
    const [one, other] = [open(), open()];
    expect(await one.consume(rule, 'both', 20)).toMatchObject({ allowed: true, remaining: 10 });
    expect(await other.consume(rule, 'both', 11)).toMatchObject({ allowed: false, remaining: 10 });
    expect(await other.consume(rule, 'both', 10)).toMatchObject({ allowed: true, remaining: 0 });
    await Promise.all([one.close(), other.close()]);
  });

  it("counts through the host's own client, and leaves it open", async () => {
    const connection = new Redis(redis.url, { keyPrefix: 'theirs:' });
    const [one, other] = [createRedisRateLimiter({ connection }), open()];
    expect(await one.consume(rule, 'own client', 20)).toMatchObject({ allowed: true, remaining: 10 });
    expect(await other.consume(rule, 'own client', 11)).toMatchObject({ allowed: false });
    await Promise.all([one.close(), other.close()]);
    expect(await connection.ping()).toBe('PONG');
    connection.disconnect();
    expect(() => createRedisRateLimiter({})).toThrow('either url or connection');
    expect(() => createRedisRateLimiter({ url: redis.url, connection })).toThrow('either url or connection');
  });

  it('counts apart under another prefix', async () => {
    const one = open();
    const other = createRedisRateLimiter({ url: redis.url, prefix: 'other.one' });
    expect(await one.consume(rule, 'apart', 30)).toMatchObject({ allowed: true, remaining: 0 });
    expect(await other.consume(rule, 'apart', 30)).toMatchObject({ allowed: true, remaining: 0 });
    expect(() => createRedisRateLimiter({ url: redis.url, prefix: 'a:b' })).toThrow(/letters/);
    await Promise.all([one.close(), other.close()]);
  });

  it('admits exactly the limit to processes that ask at the same time', async () => {
    const children = [1, 2].map(() => fork(BURST, [redis.url, 'processes', '25', '2']));
    await Promise.all(children.map((child) => once(child, 'message')));
    const reports = children.map((child) => once(child, 'message'));
    for (const child of children) child.send('go');
    const decisions = (await Promise.all(reports)).flatMap(([report]) => report as LimitDecision[]);
    // 50 requests of two units each, for 30 units.
    expect(decisions).toHaveLength(50);
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(15);
  });

  describe('without Redis', () => {
    it('counts alone while Redis is away, and together again when it is back', async () => {
      const logger = createRecordingLogger();
      const limiters = [createRedisRateLimiter({ url: redis.url, logger }), open()] as const;
      const admitted = async (limiter: RateLimiter) => (await limiter.consume(rule, 'outage', 30)).allowed;
      await limiters[0].consume(rule, 'before', 1);
      await redis.stop();
      expect([await admitted(limiters[0]), await admitted(limiters[0])]).toEqual([true, false]);
      expect([await admitted(limiters[1]), await admitted(limiters[1])]).toEqual([true, false]);
      await redis.start();
      // Back on Redis, where nothing was counted meanwhile.
      await expect.poll(() => admitted(limiters[0]), { timeout: 15_000, interval: 200 }).toBe(true);
      await expect
        .poll(async () => (await limiters[1].consume(rule, 'outage', 1)).remaining, { timeout: 15_000, interval: 200 })
        .toBe(0);
      expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
      await Promise.all(limiters.map((limiter) => limiter.close()));
    });

    it('does not log the password that Redis refused', async () => {
      const locked = await startRedis({ password: 'the-right-one' });
      const logger = createRecordingLogger();
      const url = locked.url.replace('//', '//:a-wrong-one@');
      const limiter = createRedisRateLimiter({ url, logger });
      const connection = createLimiterConnection({ url, logger });
      connection.open();
      expect(await limiter.consume(rule, 'locked', 1)).toMatchObject({ allowed: true, remaining: 29 });
      await expect.poll(() => logger.lines.length).toBe(2);
      expect(logger.text()).toMatch(/WRONGPASS/);
      expect(logger.text()).not.toMatch(/wrong-one|right-one/);
      await Promise.all([limiter.close(), connection.disconnect()]);
      await locked.close();
    });

    it('opens no connection before it is asked', async () => {
      const limiter = createRedisRateLimiter({ url: 'redis://127.0.0.1:1' });
      expect(await limiter.consume(rule, 'nowhere', 1)).toMatchObject({ allowed: true, remaining: 29 });
      await limiter.close();
    });

    it('says what is wrong with its options', () => {
      expect(() => createRedisRateLimiter({ url: 'http://127.0.0.1' })).toThrow(/redis:\/\//);
    });
  });
});
