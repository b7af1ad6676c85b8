import type { Redis } from 'ioredis';
import { z } from 'zod';
import { logger, redisPrefix, redisUrl } from './options.ts';

const redisClient = z.custom<Redis>(
  (value) => typeof (value as Partial<Redis> | null)?.defineCommand === 'function',
  'expected an ioredis client',
);

const shared = { prefix: redisPrefix, logger: logger.optional() };
export const optionsSchema = z.union([
  z.strictObject({ url: redisUrl, ...shared }),
  /** A client of the caller's, who also closes it. */
  z.strictObject({ client: redisClient, ...shared }),
]);

/** What `createRedisRateLimiter` takes: the URL of a Redis, or a client of ioredis. */
export type RedisRateLimiterOptions = z.input<typeof optionsSchema>;

export type RedisRateLimiterSettings = z.output<typeof optionsSchema>;
