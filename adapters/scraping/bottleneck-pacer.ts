/** One Bottleneck per identity and endpoint class. */
import Bottleneck from 'bottleneck';
import { createLocalLimiter } from './local-limiter.ts';
import type { Pacer, PacerOptions, SharedStore } from './pacer.ts';
import { createRateQueue, type RateQueue } from './rate-queue.ts';
import type { Rate } from './types.ts';

/** Shared limits nobody uses are forgotten once they are long full again. */
const FORGET_AFTER_MS = 3_600_000;

/** See `createPacer`. @param opened the connection of `options`, if there is one */
export function createBottleneckPacer(options: PacerOptions, opened: SharedStore | undefined): Pacer {
  const queues = new Map<string, RateQueue>();

  function queueOf(key: string, endpoint: string, rate: Rate): RateQueue {
    const id = `${key}/${endpoint}`;
    const existing = queues.get(id);
    if (existing !== undefined) return existing;
    const shared = options.isShared?.(key) === false ? undefined : opened;
    const limiter =
      shared === undefined
        ? null
        : sharedLimiter(shared, `${options.connection?.prefix ?? 'credence'}:${options.name}:${id}`, rate);
    const created = createRateQueue({ limiter: limiter ?? createLocalLimiter(rate), rate, isShared: limiter !== null });
    queues.set(id, created);
    // One that could not be set up stays broken for good: the next call makes another.
    limiter?.ready().catch(() => {
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
      await Promise.all([...queues.values()].map((queue) => queue.stop()));
    },
  };
}

/** A rate in Bottleneck’s terms. */
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

function sharedLimiter(connection: SharedStore, name: string, rate: Rate): Bottleneck {
  const clustering = {
    // Redis keeps the settings that it was first given: another rate is another limiter.
    id: `${name}:${rate.burst}-${rate.refillEveryMs}-${rate.spacingMs}-${rate.concurrency}`,
    connection,
    datastore: 'ioredis',
    timeout: Math.max(FORGET_AFTER_MS, 2 * rate.burst * rate.refillEveryMs),
    // Those who wait learn of refills at the heartbeat only.
    heartbeatInterval: 1_000,
  };
  return new Bottleneck({ ...settingsOf(rate), ...clustering });
}
