/** Options that both parts of this adapter take, and how their clients behave. */
import type { RedisOptions } from 'ioredis';
import { z } from 'zod';
import { codeOf } from '../../core/errors.ts';
import { type Logger, silentLogger } from '../../core/ports/logger.ts';
import { importFailure } from '../package-loader/index.ts';

/** `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. */
export const redisUrl = z
  .url({ protocol: /^rediss?$/, error: 'must start with redis:// or rediss://', abort: true })
  .max(2_048)
  .refine(hasReadableCredentials, 'must have each % of user and password written as %25');

/** A client of ioredis. */
export interface RedisConnection {
  readonly isCluster?: boolean;
  readonly options?: object;
  /** A connection of its own, made the same way. */
  // biome-ignore lint/suspicious/noExplicitAny: a cluster takes other arguments
  duplicate(...options: any[]): unknown;
}

/** Where the Redis is: one of the two. */
export interface RedisPlace {
  readonly url?: string | undefined;
  readonly connection?: RedisConnection | undefined;
}

/** The options of a `RedisPlace`. */
export const redisPlace = {
  url: redisUrl.optional(),
  /** Instead of `url`: the client of your application, also of a cluster or of sentinels. It is copied, and stays yours. */
  connection: z.custom<RedisConnection>(isConnection, 'must be a client of the package ioredis').optional(),
};

function isConnection(given: unknown): boolean {
  return typeof (given as Partial<RedisConnection> | null)?.duplicate === 'function';
}

async function loadRedis() {
  try {
    return await import('ioredis');
  } catch (error) {
    throw importFailure(error, 'ioredis', 'Redis');
  }
}

/**
 * A client of its own: to the URL, or to where the host's client leads.
 * @param options of ioredis
 * @returns a `Redis` of ioredis, or a cluster, which takes the same commands. The type of neither is named: not everybody has them
 */
export async function connectTo({ url = '', connection }: RedisPlace, options: object): Promise<unknown> {
  if (connection === undefined) return new (await loadRedis()).Redis(url, options);
  // Prefixes are in front of keys already, and BullMQ allows no second one.
  const own = { ...options, keyPrefix: '' };
  if (connection.isCluster !== true) return connection.duplicate(own);
  const { redisOptions: theirs } = connection.options as { readonly redisOptions?: object };
  const redisOptions = { ...theirs, ...own };
  return connection.duplicate([], { redisOptions, ...own });
}

/** Refuses neither and both. */
export const hasOnePlace = [
  ({ url, connection }: RedisPlace) => (url === undefined) !== (connection === undefined),
  'give either url or connection',
] as const;

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

/** Checks a `Logger`. */
export const logger = z.custom<Logger>(
  (value) => typeof (value as Partial<Logger> | null)?.warn === 'function',
  'expected a logger',
);

/** What both parts take. */
export const limitsOptions = z
  .strictObject({ ...redisPlace, prefix: redisPrefix, logger: logger.optional() })
  .refine(...hasOnePlace);

const LONGEST_WAIT_MS = 2_000;

/**
 * When a connection that is being closed is cut off. ioredis waits for it also if it has ended before, by default for 2 s, and
 * holds the process for as long.
 */
const CUT_OFF_AFTER_MS = 50;

/** Refusals further apart than this have nothing to do with each other. */
const SPELL_MS = 10_000;

/**
 * True when the server at the other end is not, or not yet, the one to ask. Examples: a primary that was made a replica, or one that
 * is loading. Servers before Redis 7 put what a script ran into at the end of a text of their own.
 */
function isOtherServersTurn(error: unknown): boolean {
  return error instanceof Error && /^(READONLY|LOADING|MASTERDOWN)\b|[: ]-READONLY\b/.test(error.message);
}

/**
 * How a client of its own reconnects: forever, at least every 2 s. Also when a fail-over has left its connection open on
 * the server that is a replica now: a new one leads to the primary. As long as it does not, the waits grow. The command that
 * was refused fails, or `resends`: only for commands that wait without limit, since one whose caller has given up is sent too.
 */
export function reconnecting({ resends = false } = {}) {
  let since = 0;
  let refusedAt = Number.NEGATIVE_INFINITY;
  return {
    connectTimeout: 3_000,
    disconnectTimeout: CUT_OFF_AFTER_MS,
    /** Milliseconds until the next attempt to connect. */
    retryStrategy(attempt: number) {
      const now = performance.now();
      const lost = 50 * 2 ** Math.min(attempt, 8);
      const refused = now - refusedAt < SPELL_MS ? (now - since) / 2 : 0;
      return Math.min(LONGEST_WAIT_MS, Math.max(lost, refused));
    },
    /** Whether the connection is replaced after this error, and if the command is sent again. */
    reconnectOnError(error: Error) {
      if (!isOtherServersTurn(error)) return false;
      const now = performance.now();
      if (now - refusedAt >= SPELL_MS) since = now;
      refusedAt = now;
      // ioredis: 2 reconnects and sends the command again, 1 reconnects.
      return resends ? 2 : 1;
    },
  } satisfies RedisOptions;
}

/** What may be logged of a failure: ioredis hangs the failed command on its errors, and `AUTH` holds the password. */
export function reasonOf(error: unknown): { readonly reason: string } {
  // If a name has several addresses, the error has a code and no text.
  return { reason: error instanceof Error ? (error.message || codeOf(error)).slice(0, 200) : 'unknown' };
}

/** Logs once when commands begin to fail, and once when they work again. */
export function createWatch(logger: Logger = silentLogger, messages: { readonly down: string; readonly up: string }) {
  let isDown = false;
  let trouble: unknown;
  const watched = async <T>(command: Promise<T>): Promise<T> => {
    try {
      const reply = await command;
      if (isDown) logger.info({}, messages.up);
      [isDown, trouble] = [false, undefined];
      return reply;
    } catch (error) {
      // Commands do not say why they have no connection.
      if (!isDown) logger.warn(reasonOf(trouble ?? error), messages.down);
      isDown = true;
      throw error;
    }
  };
  const onError = (error: unknown) => {
    trouble = error;
  };
  return { watched, onError };
}
