import { expect, it } from 'vitest';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { consumeLimits } from '../../../plugins/http/limits.ts';

const rule = (name: string) => ({ name, units: 10, windowSeconds: 60 });
const uses = [
  { rule: rule('first'), key: 'ann', units: 1 },
  { rule: rule('second'), key: 'ann', units: 3 },
];

function limiter(left: Readonly<Record<string, number>>, resetSeconds: number): RateLimiter {
  return {
    consume: async ({ name, units }, _key, taken) => {
      const remaining = (left[name] ?? 0) - taken;
      return { allowed: remaining >= 0, limit: units, remaining: Math.max(0, remaining), resetSeconds };
    },
  } as RateLimiter;
}

it('names every limit that a request used, and what is left of each', async () => {
  expect(await consumeLimits(limiter({ first: 10, second: 10 }, 29.2), uses)).toEqual({
    'ratelimit-policy': '"first";q=10;w=60, "second";q=10;w=60',
    ratelimit: '"first";r=9;t=30, "second";r=7;t=30',
  });
  expect(await consumeLimits(limiter({}, 1), [])).toEqual({});
});

it('says which limit refuses, and when it lets requests through again', async () => {
  const refused = (resetSeconds: number) => consumeLimits(limiter({ first: 10, second: 2 }, resetSeconds), uses);
  await expect(refused(30)).rejects.toMatchObject({
    code: 'SCRAPING_RATE_LIMITED',
    message: 'The limit second (10 in 60 s) is exceeded.',
    details: { limit: 'second', remaining: 0 },
    retryAfterSeconds: 30,
    headers: { ratelimit: '"first";r=9;t=30, "second";r=0;t=30' },
  });
  await expect(refused(0.1)).rejects.toMatchObject({ retryAfterSeconds: 1 });
});
