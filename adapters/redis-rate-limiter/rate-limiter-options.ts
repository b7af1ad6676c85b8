import { z } from 'zod';
import { logger, redisPrefix, redisUrl } from './options.ts';

/** A client of ioredis, by what tells it from others: its own type would need the package where nobody uses Redis. */
export interface RedisClient {
  /** Of the connection: `ready`, `connecting`, … */
  readonly status: string;
  /** Makes a command of a Lua script. */
  defineCommand(name: string, definition: { lua: string; numberOfKeys?: number }): void;
}

const redisClient = z.custom<RedisClient>(
  (value) => typeof (value as Partial<RedisClient> | null)?.defineCommand === 'function',
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
