/** The rate of several processes, which Bottleneck keeps in Redis. */
import Bottleneck from 'bottleneck';
import type { TurnLimiter } from './local-limiter.ts';
import type { Rate } from './types.ts';

export type SharedStore = Bottleneck.IORedisConnection | Bottleneck.RedisConnection;

export interface SharedLimiter extends TurnLimiter {
  /** Rejects if the limit cannot be set up. It stays broken then. */
  ready(): Promise<unknown>;
}

/** Shared limits nobody uses are forgotten once they are long full again. */
const FORGET_AFTER_MS = 3_600_000;
/** A turn taken by a process that then died is given back after this long; far longer than any request takes. */
const TURN_MS = 120_000;

export function createSharedLimiter(connection: SharedStore, name: string, rate: Rate): SharedLimiter {
  const { burst, refillEveryMs, spacingMs, concurrency } = rate;
  const limiter = new Bottleneck({
    maxConcurrent: concurrency,
    minTime: spacingMs,
    reservoir: burst,
    reservoirIncreaseAmount: 1,
    reservoirIncreaseInterval: refillEveryMs,
    reservoirIncreaseMaximum: burst,
    // Redis keeps the settings that it was first given: another rate is another limiter.
    id: `${name}:${burst}-${refillEveryMs}-${spacingMs}-${concurrency}`,
    connection,
    datastore: 'ioredis',
    timeout: Math.max(FORGET_AFTER_MS, 2 * burst * refillEveryMs),
    // Those who wait learn of refills at the heartbeat only.
    heartbeatInterval: 1_000,
  });
  return {
    ready: () => limiter.ready(),
    // Counts a turn that waits for its spacing: nobody uses it yet.
    free: async () => ((await limiter.currentReservoir()) ?? 0) + limiter.counts().RUNNING,
    turn: (task) =>
      new Promise<void>((resolve, reject) => {
        limiter
          .schedule({ expiration: TURN_MS }, async () => {
            const running = task();
            resolve();
            if (running === undefined) await limiter.incrementReservoir(1);
            else await running;
          })
          .catch(reject);
      }),
    // A shared limiter ends with its connection. To stop it here would wait for Redis.
    stop: () => undefined,
  };
}
