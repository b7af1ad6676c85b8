/** Keeps to the safe rates: one queue for each identity and endpoint class. */
import type { CallTime } from './deadline.ts';
import { createLocalLimiter } from './local-limiter.ts';
import { RateQueue } from './rate-queue.ts';
import type { SharedStore } from './shared-limiter.ts';
import type { Rate } from './types.ts';

/** `safe` keeps to the rates; `off` is for simulators: no pacing, and every wait is a thousandth of the real one. */
export type PacingMode = 'safe' | 'off';

export interface Pacer {
  /**
   * Runs the task when the rate allows it. Callers that wait take turns (`CallTime.caller`), however much each has waiting.
   * @throws `SCRAPING_RATE_LIMITED` if its turn would come after the call's time is up or after `patienceMs`, or if too many
   *   requests wait. That is at once when that can be foreseen, else after `patienceMs`. `PLATFORM_TIMEOUT` if the call's time is up
   *   or the caller gives up while it waits; `PLATFORM_UNAVAILABLE` if a shared rate cannot be checked.
   */
  run<T>(key: string, endpoint: string, time: CallTime, task: () => Promise<T>, patienceMs?: number): Promise<T>;
  /** Forgets an identity that is not used any more. */
  forget(key: string): void;
  close(): void;
}

/** A Redis connection of Bottleneck's, so that processes share the rates. */
export interface LimiterConnection {
  /** In front of the names of its limits, `credence` by default: who has another shares nothing. */
  readonly prefix?: string;
  /** The connection, opened by the first call. */
  open(): Promise<SharedStore>;
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
   * Shares the rates between processes. While it cannot be asked nothing is sent. A pace that cannot be checked is not kept,
   * and a blocked address or session costs more than an answer.
   */
  readonly connection?: LimiterConnection | undefined;
  /** Which keys mean the same in every process; all of them by default. */
  readonly isShared?: (key: string) => boolean;
}

export function createPacer({ mode, rates, name, connection, isShared = () => true }: PacerOptions): Pacer {
  const queues = new Map<string, Promise<RateQueue>>();

  async function createQueue(key: string, id: string, rate: Rate): Promise<RateQueue> {
    if (connection === undefined || !isShared(key)) {
      return new RateQueue({ limiter: createLocalLimiter(rate), rate, isShared: false });
    }
    const [{ createSharedLimiter }, store] = await Promise.all([import('./shared-limiter.ts'), connection.open()]);
    const limiter = createSharedLimiter(store, `${connection.prefix ?? 'credence'}:${name}:${id}`, rate);
    // One that could not be set up stays broken for good: the next call makes another.
    limiter.ready().catch(() => queues.delete(id));
    return new RateQueue({ limiter, rate, isShared: true });
  }

  function stop(which: (id: string) => boolean): void {
    for (const [id, queue] of queues) {
      if (!which(id)) continue;
      queues.delete(id);
      queue.then(
        (made) => made.stop(),
        () => undefined,
      );
    }
  }

  return {
    async run(key, endpoint, time, task, patienceMs = Number.POSITIVE_INFINITY) {
      if (mode === 'off') return await task();
      const rate = rates[endpoint];
      if (rate === undefined) throw new TypeError(`No rate is set for the endpoint class ${endpoint}.`);
      const id = `${key}/${endpoint}`;
      const queue = queues.get(id) ?? createQueue(key, id, rate);
      queues.set(id, queue);
      // The next call opens the connection again.
      queue.catch(() => queues.delete(id));
      return await (await queue).run(time, task, patienceMs);
    },
    forget: (key) => stop((id) => id.startsWith(`${key}/`)),
    close: () => stop(() => true),
  };
}
