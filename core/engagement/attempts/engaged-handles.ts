/** Who did what a challenge asks, as storage knows it: the authors of comments, or the likers of the latest completed fetch. */
import type { CommentBatch } from '../../ports/matching-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';

export interface EngagedHandles {
  /** Names what the handles are: one more run under the same rule has to compare what is new only. */
  readonly rule: string;
  /** Batches of comments to compare; none for likers, whose fetches do not change. */
  newBatches(): Promise<readonly CommentBatch[]>;
  /** At most as many as there are handles, and seldom less. */
  count(): Promise<number>;
  /** Distinct handles in ascending order; an empty list means the end. */
  after(handle: string, limit: number): Promise<readonly string[]>;
}

/** Null if nothing was read yet: for a like, if no fetch is complete. */
export async function engagedHandles(
  storage: Pick<Storage, 'comments' | 'likers' | 'matching'>,
  { id, platform, action }: Challenge,
): Promise<EngagedHandles | null> {
  if (action !== 'like') {
    return {
      rule: `${platform}/${action}`,
      newBatches: () => storage.matching.newBatches(id),
      count: () => storage.comments.count(id),
      after: (handle, limit) => storage.matching.authors(id, handle, limit),
    };
  }
  const fetch = await storage.likers.latestCompleted(id);
  if (fetch === null) return null;
  return {
    rule: `${platform}/${action}/${fetch.id}`,
    newBatches: async () => [],
    count: async () => fetch.fetchedCount,
    after: (handle, limit) => storage.matching.likers(fetch.id, handle, limit),
  };
}
