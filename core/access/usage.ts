/** What a caller has used this month; billing counts succeed-only units. */
import type { Needs } from '../engagement/use-case-parts.ts';
import { NO_USAGE, type UsageCounter } from '../ports/usage-store.ts';

/** The counts of one UTC month. */
export interface UsagePeriod {
  readonly from: Date;
  readonly to: Date;
  readonly counts: Readonly<Record<UsageCounter, number>>;
}

export type UsageMeterDeps = Needs<'usage', 'clock'>;

/** Counts what each caller uses. */
export type UsageMeter = ReturnType<typeof createUsageMeter>;

export function createUsageMeter(deps: UsageMeterDeps) {
  const { clock } = deps;
  const { usage } = deps.storage;
  const period = (now: Date) => now.toISOString().slice(0, 7);
  return {
    /** Adds to the counters of the running month. @throws what the storage throws */
    count: (callerKey: string, counts: Partial<Record<UsageCounter, number>>): Promise<void> =>
      usage.add(callerKey, period(clock.now()), counts),
    /** The running UTC month. */
    async current(callerKey: string): Promise<UsagePeriod> {
      const now = clock.now();
      const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
      const to = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
      const [month] = await usage.between(callerKey, period(from), period(to));
      return { from, to, counts: { ...NO_USAGE, ...month?.counts } };
    },
  };
}
