/** Options that both parts of this adapter take, and how their clients behave. */
import type { RedisOptions } from 'ioredis';
import { z } from 'zod';
import type { Logger } from '../../core/ports/logger.ts';

/** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must start with redis:// or rediss://', abort: true })
  .max(2_048)
  .refine(hasReadableCredentials, 'must have each % of user and password written as %25');

/** In front of every key: deployments with the same one share counts, pace and jobs. */
export const redisPrefix = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, - and _')
  .default('credence');

/** ioredis decodes them when it connects, which is too late to be told about a slip. */
function hasReadableCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  try {
    decodeURIComponent(username);
    decodeURIComponent(password);
    return true;
  } catch {
    return false;
  }
}

export const logger = z.custom<Logger>(
  (value) => typeof (value as Partial<Logger> | null)?.warn === 'function',
  'expected a logger',
);

/** Reconnects for ever, at least every 2 s. */
export const RECONNECT = {
  connectTimeout: 3_000,
  retryStrategy: (attempt: number) => Math.min(2_000, 50 * 2 ** Math.min(attempt, 8)),
} satisfies RedisOptions;

/** What may be logged of a failure: ioredis hangs the failed command on its errors, and `AUTH` holds the password. */
export function reasonOf(error: unknown): { readonly reason: string } {
  return { reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown' };
}
