/** Keeps to the safe rates: one Bottleneck per identity and endpoint class (facts: "What a serious adapter does"). */
import Bottleneck from 'bottleneck';
import { DomainError } from '../../core/errors.ts';
import type { CallTime } from './deadline.ts';
import type { Rate } from './types.ts';

/** `safe` keeps to the rates; `off` is for simulators: no pacing, and every wait is a thousandth of the real one. */
export type PacingMode = 'safe' | 'off';

export interface Pacer {
  /**
   * Runs the task when the rate lets it.
   * @throws `SCRAPING_RATE_LIMITED` at once when its turn would come after the call's time is up; `PLATFORM_TIMEOUT` when the
   *   caller gives up while waiting.
   */
  run<T>(key: string, endpoint: string, time: CallTime, task: () => Promise<T>): Promise<T>;
  /** Forgets an identity that is not used any more. */
  forget(key: string): Promise<void>;
  close(): Promise<void>;
}

/** A Redis connection of Bottleneck's, so that processes share the rates. */
export type LimiterConnection = Bottleneck.IORedisConnection | Bottleneck.RedisConnection;

export interface PacerOptions {
  readonly mode: PacingMode;
  /** The rate of each endpoint class. */
  readonly rates: Readonly<Record<string, Rate>>;
  /** Prefixes the names of shared limits. */
  readonly name: string;
  readonly connection?: LimiterConnection | undefined;
}

export function createPacer(options: PacerOptions): Pacer {
  if (options.mode === 'off')
    return { run: (_key, _endpoint, _time, task) => task(), async forget() {}, async close() {} };
  const limiters = new Map<string, Bottleneck>();

  function limiterFor(key: string, endpoint: string, rate: Rate): Bottleneck {
    const id = `${key}/${endpoint}`;
    const existing = limiters.get(id);
    if (existing !== undefined) return existing;
    const created = new Bottleneck({
      id: `credence:${options.name}:${id}`,
      maxConcurrent: rate.concurrency,
      minTime: rate.spacingMs,
      reservoir: rate.burst,
      reservoirIncreaseAmount: 1,
      reservoirIncreaseInterval: rate.refillEveryMs,
      reservoirIncreaseMaximum: rate.burst,
      ...(options.connection === undefined ? {} : { connection: options.connection, datastore: 'ioredis' }),
    });
    limiters.set(id, created);
    return created;
  }

  async function stop(limiter: Bottleneck): Promise<void> {
    await limiter.stop({ dropWaitingJobs: true }).catch(() => undefined);
    if (options.connection === undefined) await limiter.disconnect();
  }

  return {
    async run(key, endpoint, time, task) {
      const rate = options.rates[endpoint];
      if (rate === undefined) throw new TypeError(`No rate is set for the endpoint class ${endpoint}.`);
      const limiter = limiterFor(key, endpoint, rate);
      const waitMs = await expectedWaitMs(limiter, rate);
      if (waitMs > time.remainingMs()) {
        time.check();
        throw new DomainError(
          'SCRAPING_RATE_LIMITED',
          'Credence keeps to a safe rate on this platform, and it is used up; try again later.',
          { retryAfterSeconds: Math.ceil(waitMs / 1000), details: { reason: 'own-pace' } },
        );
      }
      return await scheduled(limiter, time, task);
    },
    async forget(key) {
      const gone = [...limiters].filter(([id]) => id.startsWith(`${key}/`));
      for (const [id] of gone) limiters.delete(id);
      await Promise.all(gone.map(([, limiter]) => stop(limiter)));
    },
    async close() {
      const all = [...limiters.values()];
      limiters.clear();
      await Promise.all(all.map(stop));
    },
  };
}

async function expectedWaitMs(limiter: Bottleneck, rate: Rate): Promise<number> {
  const queued = limiter.queued() ?? 0;
  const missing = queued + 1 - ((await limiter.currentReservoir()) ?? 0);
  return Math.max(queued * rate.spacingMs, missing > 0 ? missing * rate.refillEveryMs : 0);
}

/** Leaves the queue when the time is up; the turn that then comes for nothing is given back. */
function scheduled<T>(limiter: Bottleneck, time: CallTime, task: () => Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let begun = false;
    const leave = (): void => {
      if (!begun) reject(time.timeoutError());
    };
    time.signal.addEventListener('abort', leave, { once: true });
    limiter
      .schedule(async () => {
        begun = true;
        time.signal.removeEventListener('abort', leave);
        if (time.signal.aborted) {
          await limiter.incrementReservoir(1);
          throw time.timeoutError();
        }
        return await task();
      })
      .then(resolve, (error: unknown) =>
        reject(error instanceof Bottleneck.BottleneckError ? time.timeoutError() : error),
      );
  });
}
