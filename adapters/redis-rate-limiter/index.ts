/** What processes share through Redis: request limits, and the rates at which platforms are read. */
import { z } from 'zod';
import { checkOptions, refuseMissingPackages } from '../../core/configuration-error.ts';
import type { AdapterContext, RateLimiterAdapter } from '../../core/ports/adapter-values.ts';
import { missingPackages } from '../package-loader/index.ts';
import type { LimiterConnection } from '../scraping/index.ts';
import { hasOnePlace, redisPlace, redisPrefix } from './options.ts';
import { createRedisRateLimiter } from './rate-limiter.ts';
import { createLimiterConnection } from './shared-rates.ts';

export {
  connectTo,
  hasOnePlace,
  type RedisConnection,
  reasonOf,
  reconnecting,
  redisPlace,
  redisPrefix,
  redisUrl,
} from './options.ts';
export { createRedisRateLimiter, type RedisRateLimiterOptions } from './rate-limiter.ts';
export { createLimiterConnection, type LimiterConnectionOptions } from './shared-rates.ts';

const valueOptions = z.strictObject({ ...redisPlace, prefix: redisPrefix }).refine(...hasOnePlace);

/** What `redis` takes: the URL of a Redis or a client, and a prefix for its keys. */
export type RedisOptions = z.input<typeof valueOptions>;

/** A rate limiter in Redis; processes that share it share the rates of platforms too. */
export interface SharedLimitsAdapter extends RateLimiterAdapter {
  /** Opens the connection by which processes share the rates of platforms. */
  shareRates(context: AdapterContext): LimiterConnection;
}

/**
 * Limits in Redis as a value: all processes that share it count together, requests and reads of platforms.
 *
 *     createCredence({ rateLimiter: redis({ url: 'redis://127.0.0.1:6379', prefix: 'engagement' }) });
 *
 * @throws ConfigurationError naming every unusable option, or the missing package ioredis
 */
export function redis(options: RedisOptions): SharedLimitsAdapter {
  const settings = checkOptions('redis', valueOptions, options);
  refuseMissingPackages(missingPackages([{ field: 'redis', neededBy: 'Redis', packages: ['ioredis'] }]));
  return {
    create: ({ logger }) => createRedisRateLimiter({ ...settings, logger }),
    shareRates: ({ logger }) => createLimiterConnection({ ...settings, logger }),
  };
}
