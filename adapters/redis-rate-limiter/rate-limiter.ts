/** Limits counted in Redis: one count for all processes that share it. The Redis client is loaded by the first request. */
import { late } from '../../core/late.ts';
import type { RateLimiter } from '../../core/ports/rate-limiter.ts';
import { optionsSchema, type RedisRateLimiterOptions } from './rate-limiter-options.ts';

export type { RedisClient, RedisRateLimiterOptions } from './rate-limiter-options.ts';

/**
 * A rate limiter over rate-limiter-flexible's Redis store. A window begins with a key's first unit and its counter expires with
 * it. The connection is opened by the first `consume`.
 *
 * While Redis cannot be asked, each process counts on its own. A request is then neither refused for our trouble nor let
 * through uncounted. The worst that can happen is the limit once per process. The outage is logged at its begin and end.
 * @throws ZodError for unusable options
 */
export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  const settings = optionsSchema.parse(options);
  const limits = late(async () => (await import('./shared-limits.ts')).createSharedLimits(settings));
  return {
    consume: async (...args) => (await limits()).consume(...args),
    giveBack: async (...args) => (await limits()).giveBack(...args),
    close: async () => (await limits.ifMade())?.close(),
  };
}
