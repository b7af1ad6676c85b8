/** Limits counted in Redis: one count for all processes that share it. */
import type { z } from 'zod';
import { late } from '../../core/late.ts';
import type { LimitDecision, LimitRule, RateLimiter } from '../../core/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../memory-rate-limiter/index.ts';
import { createRedis, defineScript } from './client.ts';
import { createWatch, limitsOptions } from './options.ts';

/** What `createRedisRateLimiter` takes: the URL of a Redis, and a prefix for its keys. */
export type RedisRateLimiterOptions = z.input<typeof limitsOptions>;

/** How long a request waits for Redis, and how long Redis is left alone after it failed. */
const PATIENCE_MS = 1_000;
const REST_MS = 1_000;

/**
 * Takes all units or none, in one step of Redis. Units below zero are given back: at most what is counted, and only to a window
 * that runs. Returns 1 if they fit, what is counted then, and the milliseconds left of the window.
 * ARGV: units, seconds of the window, limit.
 */
const TAKE_ALL_OR_NOTHING = `
local units = tonumber(ARGV[1])
local used = tonumber(redis.call('get', KEYS[1]) or '0')
local ttl = redis.call('pttl', KEYS[1])
local isNew = ttl <= 0
if isNew then used, ttl = 0, 1000 * ARGV[2] end
local after = math.max(0, used + units)
if after > tonumber(ARGV[3]) then return {0, used, ttl} end
if units > 0 or not isNew then redis.call('set', KEYS[1], after, 'PX', ttl) end
return {1, after, ttl}
`;

/**
 * A rate limiter in Redis. A window begins with a key's first unit and its counter expires with it. The connection is opened by
 * the first `consume`.
 *
 * While Redis cannot be asked, each process counts on its own. A request is then neither refused for our trouble nor let
 * through uncounted. The worst that can happen is the limit once per process. The outage is logged at its begin and end.
 * @throws ZodError for unusable options
 */
export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  const settings = limitsOptions.parse(options);
  const alone = createMemoryRateLimiter();
  const { watched, onError } = createWatch(settings.logger, {
    down: 'Redis cannot be asked: this process counts its limits on its own until it can; check REDIS_URL',
    up: 'limits are counted in Redis again',
  });
  let restUntil = 0;
  // The package is loaded, and the connection opened, by the first request.
  const redis = late(async () => {
    const client = await createRedis(settings, PATIENCE_MS);
    client.on('error', onError);
    return { client, take: defineScript(client, 'credenceTake', TAKE_ALL_OR_NOTHING) };
  });

  async function changeInRedis({ name, units: limit, windowSeconds }: LimitRule, key: string, by: number) {
    const place = `${settings.prefix}:limit:${name}:${limit}:${windowSeconds}:${key}`;
    const [allowed = 0, used = 0, ttl = 0] = await watched((await redis()).take(place, by, windowSeconds, limit));
    const resetSeconds = Math.max(1, Math.ceil(ttl / 1_000));
    return { allowed: allowed === 1, limit, remaining: Math.max(0, limit - used), resetSeconds };
  }

  /** Takes units, or gives back those below zero: in Redis or, while it cannot be asked, among the limits of this process. */
  async function change(rule: LimitRule, key: string, by: number): Promise<LimitDecision> {
    const inProcess = () => (by < 0 ? alone.giveBack(rule, key, -by) : alone.consume(rule, key, by));
    if (performance.now() < restUntil) return await inProcess();
    try {
      return await changeInRedis(rule, key, by);
    } catch {
      restUntil = performance.now() + REST_MS;
      return await inProcess();
    }
  }

  return {
    consume: change,
    giveBack: (rule, key, units) => change(rule, key, -units),
    async close() {
      await alone.close();
      (await redis.ifMade())?.client.disconnect();
    },
  };
}
