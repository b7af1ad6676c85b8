/** Keeps to the safe rates: one Bottleneck per identity and endpoint class. */
import Bottleneck from 'bottleneck';
import { DomainError } from '../../core/errors.ts';
import type { CallTime } from './deadline.ts';
import { createRateShares, type RateShares } from './rate-shares.ts';
import type { Rate } from './types.ts';

/** `safe` keeps to the rates; `off` is for simulators: no pacing, and every wait is a thousandth of the real one. */
export type PacingMode = 'safe' | 'off';

export interface Pacer {
  /**
   * Runs the task when the rate lets it.
   * @throws `SCRAPING_RATE_LIMITED` at once when its turn would come after the call's time is up, or after `patienceMs`;
   *   `PLATFORM_TIMEOUT` when the caller gives up while waiting.
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

/** How often a caller that waits for its share looks whether it has come. */
const LOOK_AGAIN_MS = 1_000;
/** How long the shared store may take to say how things stand. */
const STORE_PATIENCE_MS = 3_000;
const STORE_RETRY_SECONDS = 5;
/** A turn taken by a process that then died is given back after this long; far longer than any request takes. */
const SHARED_TURN_MS = 120_000;
/** Shared limits nobody uses are forgotten once they are long full again. */
const FORGET_AFTER_MS = 3_600_000;

export function createPacer(options: PacerOptions): Pacer {
  if (options.mode === 'off')
    return { run: (_key, _endpoint, _time, task) => task(), async forget() {}, async close() {} };
  const limiters = new Map<string, Paced>();

  function pacedBy(key: string, endpoint: string, rate: Rate): Paced {
    const id = `${key}/${endpoint}`;
    const existing = limiters.get(id);
    if (existing !== undefined) return existing;
    const connection = options.isShared?.(key) === false ? undefined : options.connection;
    const created =
      connection === undefined
        ? { limiter: new Bottleneck(settingsOf(rate)), isShared: false, shares: createRateShares(rate.refillEveryMs) }
        : {
            limiter: sharedLimiter(connection, `${connection.prefix ?? 'credence'}:${options.name}:${id}`, rate),
            isShared: true,
            shares: createRateShares(rate.refillEveryMs),
          };
    limiters.set(id, created);
    // One that could not be set up stays broken for good: the next call makes another.
    created.limiter.ready().catch(() => {
      if (limiters.get(id) === created) limiters.delete(id);
    });
    return created;
  }

  /** Shared ones are let go with their connection: stopping one would wait for Redis. */
  async function stop({ limiter, isShared }: Paced): Promise<void> {
    if (isShared) return;
    await limiter.stop({ dropWaitingJobs: true }).catch(() => undefined);
    await limiter.disconnect();
  }

  return {
    async run(key, endpoint, time, task, patienceMs = Number.POSITIVE_INFINITY) {
      const rate = options.rates[endpoint];
      if (rate === undefined) throw new TypeError(`No rate is set for the endpoint class ${endpoint}.`);
      const { limiter, isShared, shares } = pacedBy(key, endpoint, rate);
      const patientUntil = Date.now() + patienceMs;
      for (;;) {
        const asked = standing(limiter, rate);
        const { waitMs: forRate, left } = await (isShared ? answerOfStore(time, asked) : asked);
        const forShare = shares.waitMs(time.caller, left);
        const waitMs = Math.max(forRate, forShare);
        if (waitMs <= Math.min(patientUntil - Date.now(), time.remainingMs())) {
          if (forShare === 0) break;
          // Others may come before: what is left is looked at anew.
          await time.sleep(Math.min(forShare, LOOK_AGAIN_MS));
          continue;
        }
        time.check();
        throw new DomainError(
          'SCRAPING_RATE_LIMITED',
          'Credence keeps to a safe rate on this platform, and it is used up; try again later.',
          { retryAfterSeconds: Math.ceil(waitMs / 1000), details: { reason: 'own-pace' } },
        );
      }
      shares.used(time.caller);
      const turn = isShared ? { expiration: SHARED_TURN_MS } : {};
      return await scheduled(limiter, turn, time, task, () => shares.unused(time.caller));
    },
    async forget(key) {
      const gone = [...limiters].filter(([id]) => id.startsWith(`${key}/`));
      for (const [id] of gone) limiters.delete(id);
      await Promise.all(gone.map(([, paced]) => stop(paced)));
    },
    async close() {
      const all = [...limiters.values()];
      limiters.clear();
      await Promise.all(all.map(stop));
    },
  };
}

interface Paced {
  readonly shares: RateShares;
  readonly limiter: Bottleneck;
  readonly isShared: boolean;
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

/** How long a request more would wait, and how many could go out at once. */
async function standing(limiter: Bottleneck, rate: Rate): Promise<{ readonly waitMs: number; readonly left: number }> {
  const reservoir = (await limiter.currentReservoir()) ?? 0;
  // Counted after the answer: those who asked at the same moment have taken their places by now.
  const { RECEIVED, QUEUED } = limiter.counts();
  const ahead = RECEIVED + QUEUED;
  const missing = ahead + 1 - reservoir;
  const waitMs = Math.max(ahead * rate.spacingMs, missing > 0 ? missing * rate.refillEveryMs : 0);
  return { waitMs, left: Math.max(0, reservoir - ahead) };
}

/** What the shared store answers; not waited for longer than the call's time or the store's patience. */
function answerOfStore<T>(time: CallTime, answer: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(time.timeoutError());
    const timer = setTimeout(() => reject(storeFailed(undefined)), STORE_PATIENCE_MS);
    time.signal.addEventListener('abort', giveUp, { once: true });
    answer
      .then(resolve, (error: unknown) => reject(storeFailed(error)))
      .finally(() => {
        clearTimeout(timer);
        time.signal.removeEventListener('abort', giveUp);
      });
    if (time.signal.aborted) giveUp();
  });
}

function storeFailed(cause: unknown): DomainError {
  return new DomainError(
    'PLATFORM_UNAVAILABLE',
    'The pace shared between processes cannot be checked just now; try again later.',
    { details: { reason: 'pace-unavailable' }, retryAfterSeconds: STORE_RETRY_SECONDS, cause },
  );
}

/**
 * Leaves the queue when the time is up; the turn that then comes for nothing is given back. The task's outcome does not wait
 * for the limiter to note it: a shared one may be out of reach by then.
 */
function scheduled<T>(
  limiter: Bottleneck,
  turn: Bottleneck.JobOptions,
  time: CallTime,
  task: () => Promise<T>,
  unused: () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let begun = false;
    const leave = (): void => {
      if (!begun) reject(time.timeoutError());
    };
    time.signal.addEventListener('abort', leave, { once: true });
    limiter
      .schedule(turn, async () => {
        begun = true;
        time.signal.removeEventListener('abort', leave);
        if (time.signal.aborted) {
          reject(time.timeoutError());
          unused();
          await limiter.incrementReservoir(1);
          return;
        }
        await task().then(resolve, reject);
      })
      .catch((error: unknown) => {
        if (begun) return;
        time.signal.removeEventListener('abort', leave);
        reject(error instanceof Bottleneck.BottleneckError ? time.timeoutError() : storeFailed(error));
      });
  });
}
