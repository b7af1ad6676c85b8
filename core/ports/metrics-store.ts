import type { MetricsSnapshot } from '../engagement/comment.ts';

export interface MetricsStore {
  add(snapshot: MetricsSnapshot): Promise<void>;
  latest(challengeId: number): Promise<MetricsSnapshot | null>;
}
