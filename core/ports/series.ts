/** What happened by time: counts in buckets of UTC. */

export const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 } as const;

/** From the beginning of a bucket until before `to`. */
export interface SeriesRange {
  readonly from: Date;
  readonly to: Date;
  readonly by: keyof typeof BUCKET_MS;
}

/**
 * How many there were of a name in the bucket that begins at `at`. Stores give them in no order, a bucket perhaps in parts, and leave
 * empty buckets out.
 */
export interface SeriesCount {
  readonly at: Date;
  readonly name: string;
  readonly count: number;
}
