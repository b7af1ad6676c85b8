/** Reads the pages of a post's comments. A sweep that continues reads the newest first. */
import type { CommentPage } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { CircleCheck, type Direction } from './cursor-check.ts';
import { openThreads } from './page.ts';
import type { ThreadReader } from './reply-threads.ts';
import type { WalkDeps } from './sweep-deps.ts';
import type { WalkRecord } from './sweep-record.ts';

export interface PageRead {
  /** Where the platform leads. */
  readonly leads: Direction;
  /** Replies that the page's comments say they have, beside those that came inline. */
  readonly told: number;
}

/**
 * Reads the page at the saved cursor, and notes its threads of replies if they are wanted.
 * @throws the platform's failures
 */
export function pageReader(deps: WalkDeps, record: WalkRecord): (wantsThreads: boolean) => Promise<PageRead> {
  const { platform, post, signal, caller, brandId } = deps;
  /** Of these pages. What a look at the top has met is yet to come. */
  const circles = new CircleCheck();
  return async (wantsThreads) => {
    const { cursor } = record.current;
    circles.direction(cursor);
    const page = await platform.getComments(post, cursor, { signal, caller, brandId });
    const comments = page.comments.filter(({ parentId }) => parentId === null);
    const isFresh = circles.page(comments.map(({ id }) => id));
    const leads = circles.direction(page.nextCursor);
    const threads = wantsThreads && isFresh ? openThreads(page.comments) : [];
    const { told, counts } = await record.countPage(page);
    const { pagesRead, pendingReplies } = record.current;
    await record.add(page.comments, {
      ...counts,
      cursor: leads === 'back' ? null : page.nextCursor,
      pagesRead: pagesRead + 1,
      pendingReplies: [...threads, ...pendingReplies],
    });
    return { leads, told };
  };
}

/**
 * Reads from the top until a page holds only what earlier parts of the sweep have met, before a walk continues further down. What
 * was written since is mostly there, and the callers of this sweep often wait for just that.
 */
export async function catchUp(
  deps: WalkDeps,
  record: WalkRecord,
  threads: ThreadReader,
  start: SweepProgress,
): Promise<void> {
  const { platform, post, limits, signal, caller, brandId } = deps;
  let cursor: string | null = null;
  for (let pages = 0; pages < limits.maxPages; pages += 1) {
    const page: CommentPage = await platform.getComments(post, cursor, { signal, caller, brandId });
    const { fresh, told, counts } = await record.countPage(page, true);
    const opened = deps.withReplies && fresh > 0 ? openThreads(page.comments) : [];
    await record.add(page.comments, { ...counts, pendingReplies: [...opened, ...record.current.pendingReplies] });
    if (fresh === 0) return;
    await threads.readAll();
    await threads.countLost(told);
    cursor = page.nextCursor;
    if (cursor === null || cursor === start.cursor) return;
  }
}
