/** Removing records that have had their day. What is kept for good (creators, campaigns, attempts, comments) is not among them. */

export const RETAINED_KINDS = [
  'deliveries',
  'jobs',
  'metrics',
  'likers',
  'connections',
  'unconnected',
  'usage',
  'idempotency',
  'audit',
  'leftovers',
] as const;

/**
 * - `deliveries` by when they were made. Pending ones to webhooks stay; those to subscribers do not, since their subscriber may never
 *   come back.
 * - `jobs` that were dead-lettered, by when they were made.
 * - `metrics`: snapshots by when they were taken; the latest of each challenge stays.
 * - `likers`: fetches with their likers, by when they were requested; what the status and the list are answered from stays.
 * - `connections`: requests by when they expired, whatever came of them.
 * - `unconnected`: connection requests that led to no account, by when they expired.
 * - `usage`: months that ended before.
 * - `idempotency`: answers by when their keys expired.
 * - `audit`: entries of the audit log, by when they were made.
 * - `leftovers`: what hangs on deleted campaigns and webhooks, of any age. A process may die while it deletes, or while it writes
 *   for a campaign that another process deletes.
 */
export type RetainedKind = (typeof RETAINED_KINDS)[number];

/** What one step of removing did. */
export interface PurgeStep {
  readonly removed: number;
  /** Where the next step continues; null when all there is has been looked at. */
  readonly next: number | null;
}

/** Removes old records. */
export interface RetentionStore {
  /**
   * Looks at some hundred records from `from` on (0: the oldest) and removes those of before `before`. Short enough to go
   * unnoticed beside requests. Safe to run in several processes at a time.
   */
  purge(kind: RetainedKind, before: Date, from: number): Promise<PurgeStep>;
}
