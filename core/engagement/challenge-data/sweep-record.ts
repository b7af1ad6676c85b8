/** What a walk has seen and read so far, beside the progress that is saved with it. */
import type { CommentPage, PlatformComment } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { countTold, countUnread, larger, toNewComment } from './page.ts';
import type { WalkDeps } from './sweep-deps.ts';
import { createProgressRecorder, isResumable } from './sweep-progress.ts';

export interface WalkRecord {
  /** As it is stored. */
  readonly current: SweepProgress;
  /** Ids of the comments and replies that this walk has met. */
  readonly seen: ReadonlySet<string>;
  readonly anythingRead: boolean;
  /** A page gave the total of the post itself, beside the list. */
  readonly hasPostTotal: boolean;
  /**
   * Takes note of a page that came; resolves to how many of its comments the sweep meets for the first time. Earlier parts of the sweep have met what
   * was stored or met again since it began. A low count leaves absence unproven; a double count would prove it wrongly.
   */
  count(page: CommentPage): Promise<number>;
  /** The counts of comments that cannot be compared by handle, or by number, with those of this page. */
  unclearWith(page: CommentPage): Unclear;
  /** Stores a page and what it changes. */
  add(comments: readonly PlatformComment[], changes: Partial<SweepProgress>): Promise<void>;
  close(): Promise<void>;
}

export type Unclear = Pick<SweepProgress, 'skipped' | 'unnumbered' | 'unnamed'>;

export function createWalkRecord(deps: WalkDeps, start: SweepProgress): WalkRecord {
  const recorder = createProgressRecorder(deps, start);
  const seen = new Set<string>();
  let anythingRead = false;
  let hasPostTotal = false;

  /** Returns the ids of the page's comments that this walk sees for the first time. */
  function meet(page: CommentPage): readonly string[] {
    anythingRead = true;
    if (page.isPostTotal && page.expectedTotal != null) hasPostTotal = true;
    deps.onPage?.(page);
    const fresh: string[] = [];
    for (const { id } of page.comments) {
      if (!seen.has(id)) fresh.push(id);
      seen.add(id);
    }
    return fresh;
  }

  function unclearWith({ comments, skipped = 0 }: CommentPage): Unclear {
    const { current } = recorder;
    const unnamed = comments.filter(({ username }) => username === '').length;
    const unnumbered = comments.filter(({ authorId }) => !authorId).length;
    return {
      // Not every reader counts those that it could read.
      skipped: current.skipped + Math.max(skipped, unnamed),
      unnamed: (current.unnamed ?? 0) + unnamed,
      unnumbered: current.unnumbered == null ? null : current.unnumbered + unnumbered,
    };
  }
  return {
    get current() {
      return recorder.current;
    },
    seen,
    get anythingRead() {
      return anythingRead;
    },
    get hasPostTotal() {
      return hasPostTotal;
    },
    async count(page) {
      const fresh = meet(page);
      if (!isResumable(start) || fresh.length === 0) return fresh.length;
      const { challengeId, startedAt } = start;
      return fresh.length - (await deps.comments.knownAmong(challengeId, fresh, startedAt)).size;
    },
    unclearWith,
    add: (comments, changes) => recorder.add(comments.map(toNewComment), changes),
    close: () => recorder.close(),
  };
}

/**
 * Counts replies that the page's new comments say they have, and that did not come inline. Returns 0 if replies are no part of
 * what is looked for. If their threads are out of reach, these replies exist and cannot be read.
 */
function toldOn(
  deps: Pick<WalkDeps, 'repliesCount'>,
  { seen }: Pick<WalkRecord, 'seen'>,
  { comments }: CommentPage,
): number {
  return deps.repliesCount ? countTold(comments, seen) : 0;
}

/**
 * Counts replies that this sweep does not read: those of the page's new comments, except the replies that came inline. Returns 0
 * if replies are swept. Comments that an earlier part of the sweep has met are not in `seen`, but they are stored. Comments that
 * only an earlier sweep has stored are left out too: a low count leaves absence unproven; a double count would prove it wrongly.
 */
async function unreadOn(
  deps: Pick<WalkDeps, 'repliesCount' | 'comments'>,
  { seen, current }: Pick<WalkRecord, 'seen' | 'current'>,
  { comments }: CommentPage,
  isContinued: boolean,
): Promise<number> {
  if (deps.repliesCount) return 0;
  if (!isContinued) return countUnread(comments, seen);
  const counted = comments.filter(({ parentId, replyCount }) => parentId !== null || (replyCount ?? 0) > 0);
  if (counted.length === 0) return 0;
  const stored = await deps.comments.knownAmong(
    current.challengeId,
    counted.map(({ id }) => id),
  );
  return countUnread(
    counted.filter(({ id }) => !stored.has(id)),
    seen,
  );
}

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
  const { totalFetched, unreadReplies, expectedTotal } = record.current;
  return {
    fresh,
    told,
    counts: {
      ...record.unclearWith(page),
      expectedTotal: larger(expectedTotal, page.expectedTotal ?? null),
      totalFetched: totalFetched + fresh,
      unreadReplies: unreadReplies + unread,
    },
  };
}
