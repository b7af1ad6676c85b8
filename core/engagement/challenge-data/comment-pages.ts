/** Reads the pages of a post's comments. A sweep that continues reads the newest first. */
import type { CommentPage } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { createCircleCheck } from './cursor-check.ts';
import { openThreads } from './page.ts';
import type { ThreadReader } from './reply-threads.ts';
import type { WalkDeps } from './sweep-deps.ts';
import { isResumable } from './sweep-progress.ts';
import { countPage, type WalkRecord } from './sweep-record.ts';

export interface PageRead {
  /** Where the platform leads: on, back to a cursor that was there, or on and on without anything new. */
  readonly leads: 'ok' | 'back' | 'stale';
  /** Replies that the page's comments say they have, beside those that came inline. */
  readonly told: number;
}

export interface PageReader {
  /**
   * Reads the page at the saved cursor, and notes its threads of replies if they are wanted.
   * @throws the platform's failures
   */
  read(wantsThreads: boolean): Promise<PageRead>;
}

export function createPageReader(deps: WalkDeps, record: WalkRecord, start: SweepProgress): PageReader {
  const { platform, post, signal, caller, brandId } = deps;
  const circles = createCircleCheck();
  /** The comments of these pages. What a look at the top has met is yet to come. */
  const met = new Set<string>();

  function holdsNew({ comments }: CommentPage): boolean {
    const before = met.size;
    for (const { id, parentId } of comments) if (parentId === null) met.add(id);
    return met.size > before;
  }

  function directionOf(next: string | null): PageRead['leads'] {
    if (next === null) return 'ok';
    if (!circles.isNewCursor(next)) return 'back';
    return circles.stuck() ? 'stale' : 'ok';
  }

  return {
    async read(wantsThreads) {
      const { cursor } = record.current;
      if (cursor !== null) circles.isNewCursor(cursor);
      const page = await platform.getComments(post, cursor, { signal, caller, brandId });
      const isFresh = holdsNew(page);
      circles.page(isFresh);
      const leads = directionOf(page.nextCursor);
      const threads = wantsThreads && isFresh ? openThreads(page.comments) : [];
      const { told, counts } = await countPage(deps, record, page, isResumable(start));
      const { pagesRead, pendingReplies } = record.current;
      await record.add(page.comments, {
        ...counts,
        cursor: leads === 'back' ? null : page.nextCursor,
        pagesRead: pagesRead + 1,
        pendingReplies: [...threads, ...pendingReplies],
      });
      return { leads, told };
    },
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
    const { fresh, told, counts } = await countPage(deps, record, page, true);
    const opened = deps.withReplies && fresh > 0 ? openThreads(page.comments) : [];
    await record.add(page.comments, { ...counts, pendingReplies: [...opened, ...record.current.pendingReplies] });
    if (fresh === 0) return;
    await threads.readAll();
    await threads.countLost(told);
    cursor = page.nextCursor;
    if (cursor === null || cursor === start.cursor) return;
  }
}
