import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { rateLimiterContract } from './suite.ts';

rateLimiterContract({ name: 'memory', open: async () => createMemoryRateLimiter() });

describe('windows in memory', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());
  const RULE = { name: 'test', units: 2, windowSeconds: 60 };

  it.each([-3_600_000, 3_600_000])('are as long as they should be when the clock is set by %i ms', async (ms) => {
    const limiter = createMemoryRateLimiter();
    await limiter.consume(RULE, 'a', 2);
    vi.setSystemTime(Date.now() + ms);
    expect(await limiter.consume(RULE, 'a', 1)).toMatchObject({ allowed: false, resetSeconds: 60 });
    vi.advanceTimersByTime(59_999);
    expect(await limiter.consume(RULE, 'a', 1)).toMatchObject({ allowed: false, resetSeconds: 1 });
    vi.advanceTimersByTime(1);
    expect(await limiter.consume(RULE, 'a', 1)).toMatchObject({ allowed: true, remaining: 1, resetSeconds: 60 });
  });

  it('that run are kept while those that have ended are forgotten', async () => {
    const limiter = createMemoryRateLimiter();
    const long = { ...RULE, windowSeconds: 86_400 };
    await limiter.consume(RULE, 'a', 2);
    await limiter.consume(long, 'a', 2);
    for (const wait of [30_000, 30_000, 30_000]) {
      vi.advanceTimersByTime(wait);
      await limiter.consume(RULE, 'b', 1);
    }
    expect(await limiter.consume(RULE, 'a', 2)).toMatchObject({ allowed: true, remaining: 0 });
    // Its first window has ended just now.
    expect(await limiter.consume(RULE, 'b', 2)).toMatchObject({ allowed: false, remaining: 1, resetSeconds: 60 });
    expect(await limiter.consume(long, 'a', 1)).toMatchObject({ allowed: false });
  });
});
