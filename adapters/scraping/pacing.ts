/** Keeps to the safe rates: one queue for each identity and endpoint class. */
import { type Bucket, createLocalBucket } from './bucket.ts';
import type { CallTime } from './deadline.ts';
import { RateQueue } from './rate-queue.ts';
import type { Rate } from './types.ts';

/** `safe` keeps to the rates; `off` is for simulators: no pacing, and every wait is a thousandth of the real one. */
export type PacingMode = 'safe' | 'off';

export type Pacer = ReturnType<typeof createPacer>;

/** Buckets that processes share, so that together they keep to the rates. */
export interface LimiterConnection {
  /** The bucket of this name and rate. Opens the connection when it is first asked. */
  bucket(name: string, rate: Rate): Bucket;
  /** Opens the connection. */
  open(): Promise<unknown>;
  /** After the pacers that use it. */
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

export function createPacer({ mode, rates, name, connection, isShared = () => true }: PacerOptions) {
  const queues = new Map<string, RateQueue>();

  function queueFor(key: string, endpoint: string): RateQueue {
    const rate = rates[endpoint];
    if (rate === undefined) throw new TypeError(`No rate is set for the endpoint class ${endpoint}.`);
    const id = `${key}/${endpoint}`;
    const known = queues.get(id);
    if (known !== undefined) return known;
    const shared = isShared(key) ? connection?.bucket(`${name}:${id}`, rate) : undefined;
    const queue = new RateQueue(shared ?? createLocalBucket(rate), rate);
    queues.set(id, queue);
    return queue;
  }

  function stop(which: (id: string) => boolean): void {
    for (const [id, queue] of queues) if (which(id) && queues.delete(id)) queue.stop();
  }

  return {
    /**
     * Runs the task when the rate allows it. Callers that wait take turns (`CallTime.caller`), however much each has waiting.
     * @throws `SCRAPING_RATE_LIMITED` at once if its turn would come after the call's time is up or after `patienceMs`, or if too
     *   many requests wait. `PLATFORM_TIMEOUT` if the call's time is up or the caller gives up while it waits;
     *   `PLATFORM_UNAVAILABLE` if a shared rate cannot be checked.
     */
    async run<T>(
      key: string,
      endpoint: string,
      time: CallTime,
      task: () => Promise<T>,
      patienceMs = Number.POSITIVE_INFINITY,
    ): Promise<T> {
      return mode === 'off' ? await task() : await queueFor(key, endpoint).run(time, task, patienceMs);
    },
    /** Forgets an identity that is not used any more. */
    forget: (key: string) => stop((id) => id.startsWith(`${key}/`)),
    close: () => stop(() => true),
  };
}
