/** The rates at which platforms are read, kept in Redis for all processes together. */
import type { z } from 'zod';
import { late } from '../../core/late.ts';
import type { LimiterConnection } from '../scraping/index.ts';
import { createRedis, defineScript } from './client.ts';
import { createWatch, limitsOptions } from './options.ts';

/** What `createLimiterConnection` takes. */
export type LimiterConnectionOptions = z.input<typeof limitsOptions>;

const COMMAND_TIMEOUT_MS = 2_000;

/**
 * The bucket of `createLocalBucket` by the clock of Redis. Returns what is left and how long to wait before one may be taken; if
 * that is no time, it is taken when ARGV[4] is 1.
 * ARGV: requests of the burst, milliseconds of a refill, milliseconds between two, 1 to take one.
 */
const BUCKET = `
local burst, refill, spacing = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('hmget', KEYS[1], 'fullAt', 'nextAt')
-- A clock that was set back must not stop everything.
local fullAt = math.max(now, math.min(tonumber(state[1] or 0), now + burst * refill))
local nextAt = math.min(tonumber(state[2] or 0), now + spacing)
local left = burst - (fullAt - now) / refill
local wait = math.max(0, nextAt - now, (1 - left) * refill)
if wait == 0 and ARGV[4] == '1' then
  fullAt = fullAt + refill
  redis.call('hset', KEYS[1], 'fullAt', string.format('%d', fullAt), 'nextAt', string.format('%d', now + spacing))
  redis.call('pexpire', KEYS[1], math.ceil(fullAt - now + spacing))
end
return {math.floor(left), math.ceil(wait)}
`;

/**
 * For the `limiterConnection` option of the platform adapters. Opens nothing before a bucket is first asked. Close the adapters
 * first, then this.
 * @throws ZodError for unusable options
 */
export function createLimiterConnection(options: LimiterConnectionOptions): LimiterConnection {
  const { prefix, logger, ...place } = limitsOptions.parse(options);
  const { watched, onError } = createWatch(logger, {
    down: 'Redis cannot be asked: platforms are not read until it can',
    up: 'the pace is shared through Redis again',
  });
  const redis = late(async () => {
    const client = await createRedis(place, COMMAND_TIMEOUT_MS);
    client.on('error', onError);
    return { client, bucket: defineScript(client, 'credenceBucket', BUCKET) };
  });
  return {
    bucket(name, { burst, refillEveryMs, spacingMs }) {
      const key = `${prefix}:pace:${name}`;
      const ask = async (take: 0 | 1) =>
        await watched((await redis()).bucket(key, burst, refillEveryMs, spacingMs, take));
      return {
        left: async () => (await ask(0))[0] ?? 0,
        take: async () => (await ask(1))[1] ?? 0,
      };
    },
    open: async () => await watched((await redis()).client.ping()).catch(() => undefined),
    disconnect: async () => (await redis.ifMade())?.client.disconnect(),
  };
}
