import type { MetricsSnapshot } from '../engagement/challenge-data/comment.ts';

/** Metrics snapshots of challenges. */
export interface MetricsStore {
  /** Keeps the snapshot beside the earlier ones; not for a challenge whose campaign was deleted. */
  add(snapshot: MetricsSnapshot): Promise<void>;
  /** By `fetchedAt`; of equal ones the one added last. */
  latest(challengeId: number): Promise<MetricsSnapshot | null>;
}
