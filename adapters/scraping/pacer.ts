/** What a pacer does and is told. */
import type Bottleneck from 'bottleneck';
import type { CallTime } from './deadline.ts';
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
  forget(key: string): Promise<void>;
  close(): Promise<void>;
}

export type SharedStore = Bottleneck.IORedisConnection | Bottleneck.RedisConnection;

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
