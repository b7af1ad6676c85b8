/** Reads the pages of a post's comments, the next one while the last is being stored. A sweep that continues reads the newest first. */
import { nextTurn } from '../../next-turn.ts';
import type { CommentPage, PlatformComment } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { createCircleCheck } from './cursor-check.ts';
import { openThreads } from './page.ts';
import type { ThreadReader } from './reply-threads.ts';
import type { WalkDeps } from './sweep-deps.ts';
import { isResumable } from './sweep-progress.ts';
import { countPage, type WalkRecord } from './sweep-record.ts';

/** Where the platform leads: on, back to a cursor that was there, or on and on without anything new. */
export type Direction = 'ok' | 'back' | 'stale';

export interface PageReader {
  /**
   * Reads the page at the saved cursor, and notes its threads of replies if they are wanted.
   * @throws the platform's failures
   */
  read(wantsThreads: boolean): Promise<Direction>;
  /** Replies that the last page's comments say they have, beside those that came inline. */
  readonly told: number;
}

/** To be called when what comes before the first page is read. */
export function createPageReader(deps: WalkDeps, record: WalkRecord, start: SweepProgress): PageReader {
  const { platform, post, limits, signal, caller } = deps;
  const call = { signal, caller };
  const circles = createCircleCheck();
  let told = 0;
  /** What the walk has met before the first of these pages: they have yet to come to it. */
  const above = new Set(record.seen);
  /** A page that was asked for before its turn. */
  let ahead: { readonly cursor: string; readonly page: Promise<CommentPage> } | null = null;

  /** The page at the cursor: the one asked for ahead, or asked for now. */
  function nextPage(cursor: string | null): Promise<CommentPage> {
    const page = ahead?.cursor === cursor ? ahead.page : platform.getComments(post, cursor, call);
    ahead = null;
    return page;
  }

  /**
   * Asks for the next page while this one is being stored, unless replies or the end of the sweep come in between. Resolves when
   * the request has left, so that the platform works on it while this page is worked on.
   */
  async function askAhead(cursor: string | null): Promise<void> {
    const isLast = record.current.pagesRead + 1 >= limits.maxPages;
    if (cursor === null || isLast) return;
    const page = platform.getComments(post, cursor, call);
    // The reader of the page gets its failure. If storing fails first, nobody reads it.
    page.catch(() => undefined);
    ahead = { cursor, page };
    // An adapter's HTTP client writes the request in the first turn, maybe after this has had its part of that turn.
    await nextTurn();
    await nextTurn();
  }

  function directionOf(next: string | null): Direction {
    if (next === null) return 'ok';
    if (!circles.isNewCursor(next)) return 'back';
    return circles.stuck() ? 'stale' : 'ok';
  }

  /** Whether the page holds a comment that no earlier page of these held. */
  function holdsNew({ comments }: CommentPage): boolean {
    // What the walk has met is kept once, by the record, and looked up seldom: each of many ids takes half a microsecond.
    const isNew = ({ id, parentId }: PlatformComment) =>
      parentId === null && (!record.seen.has(id) || above.delete(id));
    return above.size === 0 ? comments.some(isNew) : comments.filter(isNew).length > 0;
  }

  return {
    get told() {
      return told;
    },
    async read(wantsThreads) {
      const { cursor } = record.current;
      if (cursor !== null) circles.isNewCursor(cursor);
      const page = await nextPage(cursor);
      const isFresh = holdsNew(page);
      circles.page(isFresh);
      const next = page.nextCursor;
      const leads = directionOf(next);
      const threads = wantsThreads && isFresh ? openThreads(page.comments) : [];
      if (leads === 'ok' && threads.length === 0) await askAhead(next);
      const counted = await countPage(deps, record, page, isResumable(start));
      told = counted.told;
      const { pagesRead, pendingReplies } = record.current;
      await record.add(page.comments, {
        ...counted.counts,
        cursor: leads === 'back' ? null : next,
        pagesRead: pagesRead + 1,
        pendingReplies: [...threads, ...pendingReplies],
      });
      return leads;
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
  const { platform, post, limits, signal, caller } = deps;
  let cursor: string | null = null;
  for (let pages = 0; pages < limits.maxPages; pages += 1) {
    const page: CommentPage = await platform.getComments(post, cursor, { signal, caller });
    const { fresh, told, counts } = await countPage(deps, record, page, true);
    const opened = deps.withReplies && fresh > 0 ? openThreads(page.comments) : [];
    await record.add(page.comments, { ...counts, pendingReplies: [...opened, ...record.current.pendingReplies] });
    await record.flush();
    if (fresh === 0) return;
    await threads.readAll();
    await threads.countLost(told);
    cursor = page.nextCursor;
    if (cursor === null || cursor === start.cursor) return;
  }
}
