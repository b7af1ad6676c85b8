/** Counts how platforms are read, by hour, for all processes together. */
import { isDomainError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Stores } from '../ports/storage.ts';
import type { PlatformName } from './platform-name.ts';

/** What a process has counted is written this late: what it loses if it dies. */
const WRITE_AFTER_MS = 10_000;

/** Under which key of `UsageStore` the reads of a platform are counted. */
export const readsKey = (platform: PlatformName) => `platform:${platform}`;

export interface CountReadsDeps extends Stores<'usage'> {
  readonly clock: Clock;
  readonly logger: Logger;
}

export class ReadCounter {
  readonly #deps: CountReadsDeps;
  /** By platform and hour, since the last writing. */
  #counts = new Map<
    string,
    { readonly platform: PlatformName; readonly hour: string; reads: number; failures: number }
  >();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: CountReadsDeps) {
    this.#deps = deps;
  }

  /** Reads, and counts the read and whether it failed. That a post is not there or not shown is an answer. */
  async counted<T>(platform: PlatformName, read: () => Promise<T>): Promise<T> {
    try {
      const answer = await read();
      this.#count(platform, 0);
      return answer;
    } catch (error) {
      if (!isDomainError(error, 'NOT_SUPPORTED')) this.#count(platform, isAnswer(error) ? 0 : 1);
      throw error;
    }
  }

  #count(platform: PlatformName, failures: number): void {
    const hour = this.#deps.clock.now().toISOString().slice(0, '2026-11-28T09'.length);
    const key = `${platform} ${hour}`;
    const counts = this.#counts.get(key) ?? { platform, hour, reads: 0, failures: 0 };
    counts.reads += 1;
    counts.failures += failures;
    this.#counts.set(key, counts);
    this.#timer ??= setTimeout(() => void this.close(), WRITE_AFTER_MS).unref();
  }

  /** Writes what was counted. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const written = [...this.#counts.values()];
    this.#counts.clear();
    const { storage, logger } = this.#deps;
    try {
      for (const { platform, hour, ...counts } of written) await storage.usage.add(readsKey(platform), hour, counts);
    } catch (err) {
      logger.warn({ err }, 'reads of platforms could not be counted');
    }
  }
}

/** The platform answered: with the post or profile, or that it has none to show. */
function isAnswer(error: unknown): boolean {
  return isDomainError(error) && ['not-found', 'unprocessable'].includes(error.kind);
}
