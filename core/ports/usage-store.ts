/** Counts what a token used, per UTC month. */
export const USAGE_COUNTERS = [
  'batchRequests',
  'batchBillableUnits',
  'lookups',
  'proofs',
  'verifications',
  'compressions',
] as const;
/** What is counted. */
export type UsageCounter = (typeof USAGE_COUNTERS)[number];

/** Where nothing was counted. */
export const NO_USAGE: Readonly<Record<UsageCounter, number>> = {
  batchRequests: 0,
  batchBillableUnits: 0,
  lookups: 0,
  proofs: 0,
  verifications: 0,
  compressions: 0,
};

/** Counters by caller and month. */
export interface UsageStore {
  /** Adds to a counter; concurrent additions are never lost. `period` is `YYYY-MM`. */
  add(callerKey: string, period: string, counts: Partial<Record<UsageCounter, number>>): Promise<void>;
  /** The counters of one month; zeros if nothing was counted. */
  read(callerKey: string, period: string): Promise<Readonly<Record<UsageCounter, number>>>;
}
