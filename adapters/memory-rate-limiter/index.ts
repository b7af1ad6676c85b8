/** Limits counted in this process's memory; for a single process, and for tests. */
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { late } from '../../core/late.ts';
import type { LimitRule, RateLimiter } from '../../core/ports/rate-limiter.ts';

/**
 * A rate limiter over rate-limiter-flexible's memory store. A window begins with a key's first unit; keys are forgotten
 * when their window ends, so memory holds only what was used within one window.
 */
export function createMemoryRateLimiter(): RateLimiter {
  // By the first request: a start does without it.
  const library = late(() => import('rate-limiter-flexible'));
  const limiters = new Map<string, RateLimiterMemory>();
  // The library counts refused units too. Deciding and counting therefore happen in one turn per key, one after the other.
  const turns = new Map<string, Promise<unknown>>();

  async function limiterOf({ name, units, windowSeconds }: LimitRule): Promise<RateLimiterMemory> {
    const { RateLimiterMemory } = await library();
    const key = `${name}:${units}:${windowSeconds}`;
    let limiter = limiters.get(key);
    if (limiter === undefined) {
      limiter = new RateLimiterMemory({ keyPrefix: key, points: units, duration: windowSeconds });
      limiters.set(key, limiter);
    }
    return limiter;
  }

  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (turns.get(key) ?? Promise.resolve()).then(work);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (turns.get(key) === settled) turns.delete(key);
      });
    turns.set(key, settled);
    return result;
  }

  return {
    async consume(rule, key, units) {
      const limiter = await limiterOf(rule);
      return inTurn(limiter.getKey(key), async () => {
        const stored = await limiter.get(key);
        const used = stored !== null && stored.msBeforeNext > 0 ? stored : null;
        const consumed = used?.consumedPoints ?? 0;
        const limit = rule.units;
        if (consumed + units > limit) {
          const resetSeconds = used === null ? rule.windowSeconds : secondsOf(used.msBeforeNext);
          return { allowed: false, limit, remaining: Math.max(0, limit - consumed), resetSeconds };
        }
        const taken = await limiter.consume(key, units);
        return { allowed: true, limit, remaining: taken.remainingPoints, resetSeconds: secondsOf(taken.msBeforeNext) };
      });
    },
    async giveBack(rule, key, units) {
      const limiter = await limiterOf(rule);
      return inTurn(limiter.getKey(key), async () => {
        const limit = rule.units;
        const stored = await limiter.get(key);
        if (stored === null || stored.msBeforeNext <= 0) {
          return { allowed: true, limit, remaining: limit, resetSeconds: rule.windowSeconds };
        }
        const left = await limiter.reward(key, Math.min(units, stored.consumedPoints));
        return { allowed: true, limit, remaining: left.remainingPoints, resetSeconds: secondsOf(left.msBeforeNext) };
      });
    },
    async close() {
      limiters.clear();
    },
  };
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}
