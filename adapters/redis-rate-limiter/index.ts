/** What processes share through Redis: request limits, and the pace at which platforms are read. */
export { createLimiterConnection, type LimiterConnectionOptions } from './limiter-connection.ts';
export { reasonOf, reconnecting, redisPrefix, redisUrl } from './options.ts';
export { createRedisRateLimiter, type RedisRateLimiterOptions } from './rate-limiter.ts';
