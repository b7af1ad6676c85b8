/** Who did what a challenge asks, as storage knows it: the authors of comments, or the likers of the latest completed fetch. */
import type { AuthorKey } from '../../platforms/author-key.ts';
import type { CommentBatch } from '../../ports/matching-store.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';

export interface EngagedAuthors {
  /** Names what is compared, and how: one more run under the same rule has to compare what is new only. */
  readonly rule: string;
  /** Batches of comments to compare; none for likers, whose fetches do not change. */
  newBatches(): Promise<readonly CommentBatch[]>;
  /** About as many as there are authors. */
  count(): Promise<number>;
  /** As `MatchingStore.authors`. */
  after(author: AuthorKey | '', limit: number): Promise<readonly AuthorKey[]>;
}

/** Null if nothing was read yet: for a like, if no fetch is complete. */
export async function engagedAuthors(
  storage: Pick<Storage, 'comments' | 'likers' | 'matching'>,
  { id, platform, action }: Challenge,
): Promise<EngagedAuthors | null> {
  // Earlier releases compared handles only, under rules without a number behind them.
  const rule = `${platform}/${action}/2`;
  if (action !== 'like') {
    return {
      rule,
      newBatches: () => storage.matching.newBatches(id),
      count: () => storage.comments.count(id),
      after: (author, limit) => storage.matching.authors(id, author, limit),
    };
  }
  const fetch = await storage.likers.latestCompleted(id);
  if (fetch === null) return null;
  return {
    rule: `${rule}/${fetch.id}`,
    newBatches: async () => [],
    count: async () => fetch.fetchedCount,
    after: (author, limit) => storage.matching.likers(fetch.id, author, limit),
  };
}
