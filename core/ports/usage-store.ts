/** Counts what a token used, per UTC month. */
export const USAGE_COUNTERS = [
  'batchRequests',
  'batchBillableUnits',
  'lookups',
  'proofs',
  'verifications',
  'compressions',
] as const;
export type UsageCounter = (typeof USAGE_COUNTERS)[number];

export interface UsageStore {
  /** Adds to a counter; concurrent additions are never lost. `period` is `YYYY-MM`. */
  add(callerKey: string, period: string, counts: Partial<Record<UsageCounter, number>>): Promise<void>;
  read(callerKey: string, period: string): Promise<Readonly<Record<UsageCounter, number>>>;
}
