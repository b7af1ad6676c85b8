/** Keeps what is only of use for a while from growing for ever. */
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { RETAINED_KINDS, type RetainedKind, type RetentionStore } from '../ports/retention-store.ts';

export interface PurgeExpiredDeps {
  readonly retention: RetentionStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly days: number;
  /** Steps of one kind in one call; 200 by default. */
  readonly maxSteps?: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Removes records older than `days`; to be called every now and then, for life, by any number of processes. A call takes
 * a bounded number of steps, and the next one goes on where it stopped. Returns how many records it removed.
 */
export function purgeExpired(deps: PurgeExpiredDeps) {
  const { retention, clock, logger, days, maxSteps = 200 } = deps;
  const positions = new Map<RetainedKind, number>();

  async function purge(kind: RetainedKind, before: Date): Promise<number> {
    let from = positions.get(kind) ?? 0;
    let removed = 0;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const step = await retention.purge(kind, before, from);
      removed += step.removed;
      from = step.next ?? 0;
      if (step.next === null) break;
    }
    positions.set(kind, from);
    return removed;
  }

  return async (): Promise<number> => {
    const before = new Date(clock.now().getTime() - days * DAY_MS);
    let total = 0;
    for (const kind of RETAINED_KINDS) {
      const removed = await purge(kind, before);
      if (removed > 0) logger.info({ kind, removed, before }, 'expired records removed');
      total += removed;
    }
    return total;
  };
}
