/** Keeps to the safe rates: one Bottleneck per identity and endpoint class. */
import Bottleneck from 'bottleneck';
import type { CallTime } from './deadline.ts';
import { createRateQueue, type RateQueue } from './rate-queue.ts';
import type { Rate } from './types.ts';

/** `safe` keeps to the rates; `off` is for simulators: no pacing, and every wait is a thousandth of the real one. */
export type PacingMode = 'safe' | 'off';

export interface Pacer {
  /**
   * Runs the task when the rate allows it. Callers that wait take turns (`CallTime.caller`), however much each has waiting.
   * @throws `SCRAPING_RATE_LIMITED` if its turn would come after the call's time is up or after `patienceMs`, or if too many
   *   requests wait: at once when that can be foreseen, else after `patienceMs`. `PLATFORM_TIMEOUT` if the call's time is up
   *   or the caller gives up while it waits; `PLATFORM_UNAVAILABLE` if a shared rate cannot be checked.
   */
  run<T>(key: string, endpoint: string, time: CallTime, task: () => Promise<T>, patienceMs?: number): Promise<T>;
  /** Forgets an identity that is not used any more. */
  forget(key: string): Promise<void>;
  close(): Promise<void>;
}

/** A Redis connection of Bottleneck's, so that processes share the rates. */
export interface LimiterConnection {
  /** In front of the names of its limits, `credence` by default: who has another shares nothing. */
  readonly prefix?: string;
  /** The connection, opened by the first call. */
  open(): Bottleneck.IORedisConnection | Bottleneck.RedisConnection;
  /** After the limiters that use it. */
  disconnect(): Promise<void>;
}

export interface PacerOptions {
  readonly mode: PacingMode;
  /** The rate of each endpoint class. */
  readonly rates: Readonly<Record<string, Rate>>;
  /** Prefixes the names of shared limits. */
  readonly name: string;
  /**
   * Shares the rates between processes. While it cannot be asked nothing is sent: a pace that cannot be checked is not kept,
   * and a blocked address or session costs more than an answer.
   */
  readonly connection?: LimiterConnection | undefined;
  /** Which keys mean the same in every process; all of them by default. */
  readonly isShared?: (key: string) => boolean;
}

/** Shared limits nobody uses are forgotten once they are long full again. */
const FORGET_AFTER_MS = 3_600_000;

export function createPacer(options: PacerOptions): Pacer {
  if (options.mode === 'off')
    return { run: (_key, _endpoint, _time, task) => task(), async forget() {}, async close() {} };
  const queues = new Map<string, RateQueue>();

  function queueOf(key: string, endpoint: string, rate: Rate): RateQueue {
    const id = `${key}/${endpoint}`;
    const existing = queues.get(id);
    if (existing !== undefined) return existing;
    const connection = options.isShared?.(key) === false ? undefined : options.connection;
    const limiter =
      connection === undefined
        ? new Bottleneck(settingsOf(rate))
        : sharedLimiter(connection, `${connection.prefix ?? 'credence'}:${options.name}:${id}`, rate);
    const created = createRateQueue({ limiter, rate, isShared: connection !== undefined });
    queues.set(id, created);
    // One that could not be set up stays broken for good: the next call makes another.
    limiter.ready().catch(() => {
      if (queues.get(id) === created) queues.delete(id);
    });
    return created;
  }

  return {
    async run(key, endpoint, time, task, patienceMs = Number.POSITIVE_INFINITY) {
      const rate = options.rates[endpoint];
      if (rate === undefined) throw new TypeError(`No rate is set for the endpoint class ${endpoint}.`);
      return await queueOf(key, endpoint, rate).run(time, task, patienceMs);
    },
    async forget(key) {
      const gone = [...queues].filter(([id]) => id.startsWith(`${key}/`));
      for (const [id] of gone) queues.delete(id);
      await Promise.all(gone.map(([, queue]) => queue.stop()));
    },
    async close() {
      const all = [...queues.values()];
      queues.clear();
      await Promise.all(all.map((queue) => queue.stop()));
    },
  };
}

function settingsOf(rate: Rate): Bottleneck.ConstructorOptions {
  return {
    maxConcurrent: rate.concurrency,
    minTime: rate.spacingMs,
    reservoir: rate.burst,
    reservoirIncreaseAmount: 1,
    reservoirIncreaseInterval: rate.refillEveryMs,
    reservoirIncreaseMaximum: rate.burst,
  };
}

function sharedLimiter(connection: LimiterConnection, name: string, rate: Rate): Bottleneck {
  const clustering = {
    // Redis keeps the settings that it was first given: another rate is another limiter.
    id: `${name}:${rate.burst}-${rate.refillEveryMs}-${rate.spacingMs}-${rate.concurrency}`,
    connection: connection.open(),
    datastore: 'ioredis',
    timeout: Math.max(FORGET_AFTER_MS, 2 * rate.burst * rate.refillEveryMs),
    // Those who wait learn of refills at the heartbeat only.
    heartbeatInterval: 1_000,
  };
  return new Bottleneck({ ...settingsOf(rate), ...clustering });
}
