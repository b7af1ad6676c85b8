import { expect, it } from 'vitest';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import { giveBack, limitHeaders, takeLimits } from '../../../plugins/http/limits.ts';

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
    giveBack: async ({ name, units }) => ({ allowed: true, limit: units, remaining: left[name] ?? 0, resetSeconds }),
    close: async () => undefined,
  };
}

it('names every limit that a request used, and what is left of each', async () => {
  expect(limitHeaders(await takeLimits(limiter({ first: 10, second: 10 }, 29.2), uses))).toEqual({
    'ratelimit-policy': '"first";q=10;w=60, "second";q=10;w=60',
    ratelimit: '"first";r=9;t=30, "second";r=7;t=30',
  });
  expect(limitHeaders(await takeLimits(limiter({}, 1), []))).toEqual({});
});

it('says which limit refuses, and when it lets requests through again', async () => {
  const refused = (resetSeconds: number) => takeLimits(limiter({ first: 10, second: 2 }, resetSeconds), uses);
  await expect(refused(30)).rejects.toMatchObject({
    code: 'SCRAPING_RATE_LIMITED',
    message: 'The limit second (10 in 60 s) is exceeded.',
    details: { limit: 'second', remaining: 0 },
    retryAfterSeconds: 30,
    headers: { ratelimit: '"first";r=9;t=30, "second";r=0;t=30' },
  });
  await expect(refused(0.1)).rejects.toMatchObject({ retryAfterSeconds: 1 });
});

it('gives nothing back when the window may have ended', async () => {
  const subject = limiter({ first: 10 }, 30);
  const [taken] = await takeLimits(subject, uses.slice(0, 1));
  if (taken === undefined) throw new Error('nothing was taken');
  expect((await giveBack(subject, taken)).decision.remaining).toBe(10);
  const ended = { ...taken, takenAt: taken.takenAt - 29_000 };
  expect((await giveBack(subject, ended)).decision.remaining).toBe(9);
});
