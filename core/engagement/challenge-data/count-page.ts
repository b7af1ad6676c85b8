import type { CommentPage } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { toldOn, unreadOn } from './unread-replies.ts';
import type { WalkDeps } from './walk-deps.ts';
import type { Unclear, WalkRecord } from './walk-record.ts';

interface CountedPage {
  /** How many of its comments the sweep meets for the first time. */
  readonly fresh: number;
  /** See `toldOn`. */
  readonly told: number;
  /** The counts of the sweep with this page. */
  readonly counts: Unclear & Pick<SweepProgress, 'totalFetched' | 'unreadReplies' | 'expectedTotal'>;
}

/** Counts a page of comments, once. The record takes note of the page, and the caller adds it. */
export async function countPage(
  deps: Pick<WalkDeps, 'repliesCount' | 'comments'>,
  record: WalkRecord,
  page: CommentPage,
  isContinued: boolean,
): Promise<CountedPage> {
  // Of new comments only, so before the record takes note of them.
  const unread = await unreadOn(deps, record, page, isContinued);
  const told = toldOn(deps, record, page);
  const fresh = await record.count(page);
  const { totalFetched, unreadReplies } = record.current;
  return {
    fresh,
    told,
    counts: {
      ...record.unseenWith(page),
      totalFetched: totalFetched + fresh,
      unreadReplies: unreadReplies + unread,
    },
  };
}
