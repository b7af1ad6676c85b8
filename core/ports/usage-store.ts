/** Where nothing was counted. */
export const NO_USAGE = {
  batchRequests: 0,
  batchBillableUnits: 0,
  lookups: 0,
  proofs: 0,
  verifications: 0,
  compressions: 0,
};
/** What is counted. */
export type UsageCounter = keyof typeof NO_USAGE;

/** What is added, by counter. `reads` of a platform, and the `failures` among them, are no token's usage. */
export type UsageCounts = Partial<Record<UsageCounter | 'reads' | 'failures', number>>;

/** Counts what a token used by UTC month, how platforms were read by UTC hour, and the credits of a data provider by UTC day. */
export interface UsageStore {
  /**
   * Adds to a counter; concurrent additions are never lost. `period` is `YYYY-MM`, `YYYY-MM-DDTHH` for a platform, or `YYYY-MM-DD` for a
   * provider's credits.
   */
  add(callerKey: string, period: string, counts: UsageCounts): Promise<void>;
  /** The periods from one until before another, without those in which nothing was counted; in order. */
  between(
    callerKey: string,
    from: string,
    to: string,
  ): Promise<readonly { readonly period: string; readonly counts: UsageCounts }[]>;
}
