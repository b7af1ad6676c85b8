import { expect, it } from 'vitest';
import { createRateShares, type RateShares } from '../../../adapters/scraping/rate-shares.ts';

const REFILL_MS = 1_000;

function world(): {
  shares: RateShares;
  use: (caller: string | undefined, times: number) => void;
  pass: (ms: number) => void;
} {
  let now = 1_000_000;
  const shares = createRateShares(REFILL_MS, () => now);
  return {
    shares,
    use: (caller, times) => {
      for (let time = 0; time < times; time += 1) shares.used(caller);
    },
    pass: (ms) => {
      now += ms;
    },
  };
}

it.each([
  // used, left, refills to wait for
  [0, 0, 0],
  [0, 5, 0],
  [2, 1, 0],
  [3, 1, 1],
  [3, 2, 0],
  [6, 1, 1],
  [7, 1, 2],
  [15, 5, 1],
  [3, 0, 1],
  [4, 0, 2],
  [8, 0, 3],
])('lets a caller who has used %i of a rate with %i left wait for %i refills', (used, left, refills) => {
  const { shares, use } = world();
  use('ann', used);
  expect(shares.waitMs('ann', left)).toBe(refills * REFILL_MS);
  expect(shares.waitMs('bob', left)).toBe(0);
});

it('lets the caller through after that wait', () => {
  for (const [used, left] of [
    [3, 1],
    [7, 1],
    [8, 0],
    [20, 2],
  ] as const) {
    const { shares, use, pass } = world();
    use('ann', used);
    const wait = shares.waitMs('ann', left);
    pass(wait - REFILL_MS);
    expect(shares.waitMs('ann', left + wait / REFILL_MS - 1)).toBeGreaterThan(0);
    pass(REFILL_MS);
    expect(shares.waitMs('ann', left + wait / REFILL_MS)).toBe(0);
  }
});

it('forgets one request each refill, and nothing before', () => {
  const { shares, use, pass } = world();
  use('ann', 4);
  pass(REFILL_MS - 1);
  expect(shares.waitMs('ann', 1)).toBe(REFILL_MS);
  pass(1);
  expect(shares.waitMs('ann', 1)).toBe(REFILL_MS);
  pass(REFILL_MS);
  expect(shares.waitMs('ann', 1)).toBe(0);
});

it('forgets as much of a caller who continues asking', () => {
  const { shares, use, pass } = world();
  for (let time = 0; time < 10; time += 1) {
    use('ann', 1);
    pass(0.9 * REFILL_MS);
  }
  // Nine refills have passed.
  expect(shares.waitMs('ann', 1)).toBe(0);
});

it('begins at nothing after a long pause', () => {
  const { shares, use, pass } = world();
  use('ann', 3);
  pass(100 * REFILL_MS);
  use('ann', 3);
  expect(shares.waitMs('ann', 1)).toBe(REFILL_MS);
});

it.each([
  // used, waiting, left after those, refills to wait for
  [15, 0, 5, 1],
  [15, 1, 4, 2],
  [15, 9, -4, 10],
  [0, 1, -1, 2],
  [0, 14, 6, 0],
])('counts, after %i used, %i that wait with %i left after them as %i refills', (used, waiting, left, refills) => {
  const { shares, use } = world();
  use('ann', used);
  expect(shares.waitMs('ann', left, waiting)).toBe(refills * REFILL_MS);
});

it('counts nothing of requests without a caller', () => {
  const { shares, use } = world();
  use(undefined, 50);
  expect(shares.waitMs(undefined, 0)).toBe(0);
});
