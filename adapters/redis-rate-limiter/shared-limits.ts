/** The limits of rate-limiter-flexible, kept in Redis. */
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { silentLogger } from '../../core/ports/logger.ts';
import type { LimitDecision, LimitRule, RateLimiter } from '../../core/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../memory-rate-limiter/index.ts';
import { Redis } from './client.ts';
import { reasonOf, reconnecting } from './options.ts';
import type { RedisRateLimiterSettings } from './rate-limiter-options.ts';

/** How long a request waits for Redis, and how long Redis is left alone after it failed. */
const PATIENCE_MS = 1_000;
const REST_MS = 1_000;

/**
 * The library's own script counts refused units too. This one takes all units or none, in one step of Redis, and answers what
 * the count would have become. Units below zero are given back: at most what is counted, and only to a window that runs.
 * ARGV: units, seconds of the window, limit.
 */
const TAKE_ALL_OR_NOTHING = `
local used = tonumber(redis.call('get', KEYS[1]) or '0')
local ttl = redis.call('pttl', KEYS[1])
if tonumber(ARGV[1]) < 0 then
  if ttl < 0 then return {0, 1000 * tonumber(ARGV[2])} end
  return {redis.call('decrby', KEYS[1], math.min(used, -tonumber(ARGV[1]))), ttl}
end
if used + tonumber(ARGV[1]) > tonumber(ARGV[3]) then
  if ttl < 0 then ttl = 1000 * tonumber(ARGV[2]) end
  return {used + tonumber(ARGV[1]), ttl}
end
if ttl < 0 then
  redis.call('set', KEYS[1], 0, 'EX', ARGV[2])
  ttl = 1000 * tonumber(ARGV[2])
end
return {redis.call('incrby', KEYS[1], ARGV[1]), ttl}
`;

/** See `createRedisRateLimiter`. */
export function createSharedLimits(settings: RedisRateLimiterSettings): RateLimiter {
  const log = settings.logger ?? silentLogger;
  const owned = 'url' in settings ? openClient(settings.url) : null;
  const client = 'client' in settings ? settings.client : (owned as Redis);
  const alone = createMemoryRateLimiter();
  const limiters = new Map<string, RateLimiterRedis>();
  let isDown = false;
  let restUntil = 0;

  function limiterOf({ name, units, windowSeconds }: LimitRule): RateLimiterRedis {
    const keyPrefix = `${settings.prefix}:limit:${name}:${units}:${windowSeconds}`;
    let limiter = limiters.get(keyPrefix);
    if (limiter === undefined) {
      limiter = new RateLimiterRedis({
        storeClient: client,
        keyPrefix,
        points: units,
        duration: windowSeconds,
        customIncrTtlLuaScript: TAKE_ALL_OR_NOTHING,
      });
      limiters.set(keyPrefix, limiter);
    }
    return limiter;
  }

  async function giveBackShared(rule: LimitRule, key: string, units: number): Promise<LimitDecision> {
    const { consumedPoints, msBeforeNext } = await limiterOf(rule).reward(key, units);
    const limit = rule.units;
    return {
      allowed: true,
      limit,
      remaining: Math.max(0, limit - consumedPoints),
      resetSeconds: secondsOf(msBeforeNext),
    };
  }

  async function consumeShared(rule: LimitRule, key: string, units: number): Promise<LimitDecision> {
    const limit = rule.units;
    const outcome = await limiterOf(rule)
      .consume(key, units)
      .catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal;
        throw refusal;
      });
    const allowed = outcome.consumedPoints <= limit;
    const used = allowed ? outcome.consumedPoints : outcome.consumedPoints - units;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - used),
      resetSeconds: secondsOf(outcome.msBeforeNext),
    };
  }

  /** Asks Redis; while it cannot be asked, the limits of this process. */
  async function ask(
    shared: () => Promise<LimitDecision>,
    ownOne: () => Promise<LimitDecision>,
  ): Promise<LimitDecision> {
    if (performance.now() < restUntil) return await ownOne();
    try {
      const decision = await shared();
      if (isDown) log.info({}, 'limits are counted in Redis again');
      isDown = false;
      return decision;
    } catch (error) {
      restUntil = performance.now() + REST_MS;
      if (!isDown)
        log.warn(
          reasonOf(error),
          'Redis cannot be asked: this process counts its limits on its own until it can; check REDIS_URL',
        );
      isDown = true;
      return await ownOne();
    }
  }

  return {
    consume: (...args) =>
      ask(
        () => consumeShared(...args),
        () => alone.consume(...args),
      ),
    giveBack: (...args) =>
      ask(
        () => giveBackShared(...args),
        () => alone.giveBack(...args),
      ),
    async close() {
      await alone.close();
      owned?.disconnect();
    },
  };
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1_000));
}

function openClient(url: string): Redis {
  const client = new Redis(url, {
    ...reconnecting(),
    lazyConnect: true,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 1,
  });
  // Every command says itself what became of it; without a listener Node would treat a lost connection as a crash.
  client.on('error', () => undefined);
  return client;
}
