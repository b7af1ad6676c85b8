/** Periodic work that one process of all does at a time is enough of. */
import type { Clock } from '../ports/clock.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

export interface OneProcessDeps {
  readonly connections: Pick<ConnectionStore, 'claimOnce'>;
  readonly clock: Clock;
}

/**
 * Does the work unless a process sharing the storage has begun it within the last `everyMs`; undefined then. Work that takes
 * longer than that may overlap with the next: it has to bear that.
 */
export function inOneProcess<T>(deps: OneProcessDeps, name: string, everyMs: number, work: () => Promise<T>) {
  return async (): Promise<T | undefined> => {
    const now = deps.clock.now();
    // A little less than the period, or the next turn of the same timer would come too early.
    const until = new Date(now.getTime() + everyMs * 0.9);
    return (await deps.connections.claimOnce(`upkeep:${name}`, until, now)) ? work() : undefined;
  };
}
