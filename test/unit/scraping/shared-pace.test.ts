import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createLimiterConnection } from '../../../adapters/redis-rate-limiter/index.ts';
import { startCall } from '../../../adapters/scraping/deadline.ts';
import { createPacer, type LimiterConnection, type Pacer } from '../../../adapters/scraping/pacing.ts';
import type { Rate } from '../../../adapters/scraping/types.ts';
import { systemClock } from '../../../core/ports/clock.ts';
import { listen } from '../../support/listen.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../../support/redis.ts';

const PACED = fileURLToPath(new URL('./paced-process.ts', import.meta.url));
const SLOW: Rate = { burst: 2, refillEveryMs: 600_000, spacingMs: 1, concurrency: 1 };

describeWithRedis('a pace shared through a real redis-server', () => {
  let redis: TestRedis;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => redis.close());

  function pacer(name: string, more: { rate?: Rate; connection?: LimiterConnection; own?: string } = {}): Pacer {
    const connection = more.connection ?? createLimiterConnection({ url: redis.url });
    const isShared = (key: string) => key !== more.own;
    const made = createPacer({ mode: 'safe', rates: { page: more.rate ?? SLOW }, name, connection, isShared });
    closing.push(
      () => connection.disconnect(),
      async () => made.close(),
    );
    return made;
  }

  async function run(paced: Pacer, key = 'anonymous', limitMs = 10_000, caller?: string): Promise<unknown> {
    const time = startCall(
      { deadline: new Date(Date.now() + limitMs), ...(caller === undefined ? {} : { caller }) },
      limitMs,
      systemClock,
      new AbortController().signal,
    );
    try {
      return await paced.run(key, 'page', time, async () => 'done').catch((error: unknown) => error);
    } finally {
      time.end();
    }
  }

  it('is kept apart under another prefix', async () => {
    const connection = createLimiterConnection({ url: redis.url, prefix: 'other' });
    const [one, other] = [pacer('prefixes'), pacer('prefixes', { connection })];
    expect([await run(one), await run(one)]).toEqual(['done', 'done']);
    expect(await run(one)).toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    expect([await run(other), await run(other)]).toEqual(['done', 'done']);
  });

  it('lets two processes through together no more often than one', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end('page');
    });
    const { url: baseUrl, close } = await listen(server);
    closing.push(close);
    const children = [1, 2].map(() => fork(PACED, [redis.url, baseUrl, '6']));
    await Promise.all(children.map((child) => once(child, 'message')));
    const reports = children.map((child) => once(child, 'message'));
    for (const child of children) child.send('go');
    const outcomes = (await Promise.all(reports)).flatMap(([report]) => report as string[]);
    expect(outcomes.filter((outcome) => outcome === 'page')).toHaveLength(6);
    // Refused at once, or at its deadline where another process took the turn that it had seen free.
    const refusals = ['SCRAPING_RATE_LIMITED own-rate-limit', 'PLATFORM_TIMEOUT deadline'];
    expect(outcomes.filter((outcome) => refusals.includes(outcome))).toHaveLength(6);
    expect(requests).toBe(6);
  });

  it('begins with what other processes have left, and counts platforms and keys apart', async () => {
    const first = pacer('left');
    expect([await run(first), await run(first)]).toEqual(['done', 'done']);
    expect(await run(pacer('left'))).toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    expect(await run(pacer('left'), 'session-1')).toBe('done');
    expect(await run(pacer('other'))).toBe('done');
  });

  it('keeps to itself what is this process’s own', async () => {
    const [one, other] = [pacer('own', { own: 'anonymous-1' }), pacer('own', { own: 'anonymous-1' })];
    for (const each of [one, other, one, other]) expect(await run(each, 'anonymous-1')).toBe('done');
    expect(await run(one, 'anonymous-1')).toMatchObject({ code: 'SCRAPING_RATE_LIMITED' });
    one.forget('anonymous-1');
    expect(await run(one, 'anonymous-1')).toBe('done');
  });

  it('sends nothing while the pace cannot be checked, and continues when it can', async () => {
    const logger = createRecordingLogger();
    const own = await startRedis();
    closing.push(() => own.close());
    const rate = { ...SLOW, burst: 50 };
    const paced = pacer('outage', { rate, connection: createLimiterConnection({ url: own.url, logger }) });
    expect(await run(paced)).toBe('done');
    await own.stop();
    expect(await run(paced)).toMatchObject({
      code: 'PLATFORM_UNAVAILABLE',
      details: { reason: 'rate-limit-unavailable' },
      retryAfterSeconds: expect.any(Number),
    });
    await own.start();
    await expect.poll(() => run(paced), { timeout: 15_000, interval: 200 }).toBe('done');
    expect(logger.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  it('sends nothing where there never was a Redis, and closes', async () => {
    const paced = pacer('nowhere', { connection: createLimiterConnection({ url: 'redis://127.0.0.1:1' }) });
    expect(await run(paced)).toMatchObject({ code: 'PLATFORM_UNAVAILABLE' });
  });

  it('opens no connection before the first request', async () => {
    const connection = createLimiterConnection({ url: 'redis://127.0.0.1:1' });
    await connection.disconnect();
    await connection.disconnect();
  });
});
