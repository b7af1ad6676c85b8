import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLocalLimiter } from '../../../adapters/scraping/local-limiter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([-3_600_000, 3_600_000])('keeps its rate when the clock is set by %i ms', async (ms) => {
  const limiter = createLocalLimiter({ burst: 2, refillEveryMs: 60_000, spacingMs: 1_000, concurrency: 5 });
  /** In seconds. */
  const sent: number[] = [];
  const begun = performance.now();
  void (async () => {
    for (let turn = 0; turn < 4; turn += 1) {
      await limiter.turn(async () => void sent.push(Math.round((performance.now() - begun) / 1_000)));
    }
  })();
  await vi.advanceTimersByTimeAsync(500);
  vi.setSystemTime(Date.now() + ms);
  expect(await limiter.free()).toBe(1);
  await vi.advanceTimersByTimeAsync(120_500);
  expect(sent).toEqual([0, 1, 60, 120]);
});
