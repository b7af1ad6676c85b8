/**
 * One walk over the comments of a post, page by page into storage: what is in memory is some pages and the ids seen so far.
 * Progress is saved with the pages, and the replies of a page are read before the next page, so that a walk can go on
 * where it stopped, in this process or another.
 */
import { isDomainError } from '../../errors.ts';
import type { PostRef } from '../../platforms/post-url.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { CommentPage, Platform, PlatformComment } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { countUnread, larger, openThreads, toNewComment } from './pages.ts';
import { isOutOfReach, isPlatformFailure } from './platform-failure.ts';
import { createProgressRecorder, isResumable } from './progress.ts';
import { createCircleCheck } from './seen.ts';

export interface WalkLimits {
  /** Pages of comments in one sweep (docs/specification/engagement.md#limits: 500). */
  readonly maxPages: number;
  /** Pages of replies in one sweep, over all comments. */
  readonly maxReplyPages: number;
  /** Pages of replies to one comment in one sweep. */
  readonly maxPagesPerThread: number;
}

export interface WalkDeps {
  readonly comments: CommentStore;
  readonly platform: Platform;
  readonly post: PostRef;
  readonly withReplies: boolean;
  /** False: replies are no part of what is looked for, so those that are not read are not missing. */
  readonly repliesCount: boolean;
  /** Sees every page as it comes. */
  readonly onPage?: (page: CommentPage) => void;
  /** Asks the platform elsewhere how many comments the post has; null if that is not known. */
  readonly askTotal: () => Promise<number | null>;
  readonly limits: WalkLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Whose share of the platform's rate the walk uses. */
  readonly caller: string;
  /** How often the progress is saved while the platform keeps the walk waiting, as a sign of life. */
  readonly heartbeatMs: number;
}

export type EndedSweep = SweepProgress & { readonly status: 'swept' | 'partial' };

type Thread = SweepProgress['pendingReplies'][number];

/** Threads that cannot be read are put aside and tried once more at the end; with this many, the platform is failing. */
const MAX_THREADS_ASIDE = 20;

/**
 * Walks on from `start` and returns the final progress, already saved, with status `swept` or `partial`.
 *
 * - `swept`: the last page was reached. `historyComplete` when, besides, every thread of replies was read to its end.
 * - `partial`: a limit was hit, the platform failed after something was read, or led in circles. A cursor that comes again
 *   leaves nothing to go on from; after too many pages without anything new the next walk goes on behind them.
 *
 * @throws what the platform threw, when nothing at all was read; then nothing was saved either.
 */
export async function walkComments(deps: WalkDeps, start: SweepProgress): Promise<EndedSweep> {
  const { platform, post, limits, signal, caller } = deps;
  const call = { signal, caller };
  const circles = createCircleCheck();
  const counted = new Set<string>();
  const recorder = createProgressRecorder(deps, start);
  let replyPages = 0;
  let anythingRead = false;
  let repliesOutOfReach = false;
  /** A page that was asked for before its turn. */
  let ahead: { readonly cursor: string; readonly page: Promise<CommentPage> } | null = null;
  /** Ids of threads put aside; they stand at the end of `pendingReplies`. */
  const aside = new Set<string>();

  async function finish(status: EndedSweep['status'], changes: Partial<SweepProgress> = {}): Promise<EndedSweep> {
    await save({ status, ...changes });
    return { ...recorder.current, status };
  }

  /** The last page was reached. What the sweep has seen is settled in the same write that says so. */
  async function finishSwept(changes: Pick<SweepProgress, 'historyComplete'> & Partial<SweepProgress>) {
    await recorder.flush();
    let { totalFetched, expectedTotal } = recorder.current;
    // A walk that went on from an earlier one may have met its comments again.
    if (isResumable(start)) totalFetched = Math.min(totalFetched, await deps.comments.count(start.challengeId));
    if (expectedTotal === null || totalFetched === 0 || totalFetched > expectedTotal) {
      // An empty answer may come from a list that is broken: its own total of zero is no second witness.
      const listed = totalFetched === 0 && expectedTotal === 0 ? null : expectedTotal;
      expectedTotal = larger(listed, await deps.askTotal());
    }
    return finish('swept', { ...changes, totalFetched, expectedTotal });
  }

  /** Counts what this walk sees for the first time. */
  function countFresh(page: CommentPage): number {
    anythingRead = true;
    deps.onPage?.(page);
    const before = counted.size;
    for (const { id } of page.comments) counted.add(id);
    return counted.size - before;
  }

  const skippedWith = ({ skipped = 0 }: CommentPage) => recorder.current.skipped + skipped;

  /** What a page of comments says about those that it does not hold. */
  function unseenWith(page: CommentPage): Pick<SweepProgress, 'skipped' | 'expectedTotal'> {
    return {
      skipped: skippedWith(page),
      expectedTotal: larger(recorder.current.expectedTotal, page.expectedTotal ?? null),
    };
  }

  const add = (comments: readonly PlatformComment[], changes: Partial<SweepProgress>) =>
    recorder.add(comments.map(toNewComment), changes);

  async function save(changes: Partial<SweepProgress>): Promise<void> {
    await recorder.add([], changes);
    await recorder.flush();
  }

  /**
   * Reads from the top until a page brings nothing new, before a walk goes on further down: what was written since is
   * mostly there, and whoever waits for this sweep may be waiting for just that.
   */
  async function catchUp(): Promise<void> {
    let cursor: string | null = null;
    for (let pages = 0; pages < limits.maxPages; pages += 1) {
      const page: CommentPage = await platform.getComments(post, cursor, call);
      countFresh(page);
      await recorder.flush();
      await add(page.comments, unseenWith(page));
      const inserted = await recorder.flush();
      if (inserted === 0) return;
      await save({
        totalFetched: recorder.current.totalFetched + inserted,
        pendingReplies: [...(deps.withReplies ? openThreads(page.comments) : []), ...recorder.current.pendingReplies],
      });
      await readThreads();
      cursor = page.nextCursor;
      if (cursor === null || cursor === start.cursor) return;
    }
  }

  /** The page at the cursor: the one asked for ahead, or asked for now. */
  function nextPage(): Promise<CommentPage> {
    const { cursor } = recorder.current;
    const page = ahead?.cursor === cursor ? ahead.page : platform.getComments(post, cursor, call);
    ahead = null;
    return page;
  }

  /** Asks for the next page while this one is being stored, unless replies or the end of the sweep come in between. */
  function askAhead(cursor: string | null): void {
    const isLast = recorder.current.pagesRead + 1 >= limits.maxPages;
    if (cursor === null || isLast) return;
    const page = platform.getComments(post, cursor, call);
    // Whoever reads the page gets its failure; when storing fails first, nobody does.
    page.catch(() => undefined);
    ahead = { cursor, page };
  }

  /** @returns whether the platform led in circles: back to where the walk was, or on and on without anything new. */
  async function readPage(): Promise<'ok' | 'back' | 'stale'> {
    const { cursor } = recorder.current;
    if (cursor !== null) circles.isNewCursor(cursor);
    const page = await nextPage();
    const unread = deps.repliesCount || isResumable(start) ? 0 : countUnread(page.comments, counted);
    const fresh = countFresh(page);
    const newIds = circles.page(page.comments.filter(({ parentId }) => parentId === null).map(({ id }) => id));
    const next = page.nextCursor;
    const leads = directionOf(next);
    const threads = deps.withReplies && !repliesOutOfReach && newIds > 0 ? openThreads(page.comments) : [];
    if (leads === 'ok' && threads.length === 0) askAhead(next);
    await add(page.comments, {
      ...unseenWith(page),
      cursor: leads === 'back' ? null : next,
      pagesRead: recorder.current.pagesRead + 1,
      totalFetched: recorder.current.totalFetched + fresh,
      unreadReplies: recorder.current.unreadReplies + unread,
      pendingReplies: [...threads, ...recorder.current.pendingReplies],
    });
    return leads;
  }

  function directionOf(next: string | null): 'ok' | 'back' | 'stale' {
    if (next === null) return 'ok';
    if (!circles.isNewCursor(next)) return 'back';
    return circles.stuck() ? 'stale' : 'ok';
  }

  async function readThread(thread: Thread): Promise<void> {
    const seen = createCircleCheck();
    let { cursor } = thread;
    for (let pages = 0; pages < limits.maxPagesPerThread; pages += 1) {
      const page: CommentPage = await platform.getReplies(post, thread.commentId, cursor, call);
      replyPages += 1;
      const totalFetched = recorder.current.totalFetched + countFresh(page);
      const skipped = skippedWith(page);
      seen.page(page.comments.map(({ id }) => id));
      const next = page.nextCursor;
      if (next === null) {
        await add(page.comments, { ...without(thread), totalFetched, skipped });
        return;
      }
      if (seen.stuck() || !seen.isNewCursor(next)) {
        await add(page.comments, { skipped });
        throw new ThreadNotRead('the platform leads in circles');
      }
      cursor = next;
      await add(page.comments, {
        pendingReplies: recorder.current.pendingReplies.map((each) =>
          each.commentId === thread.commentId ? { ...each, cursor } : each,
        ),
        totalFetched,
        skipped,
      });
      if (replyPages >= limits.maxReplyPages) throw new LimitHit();
    }
    throw new ThreadNotRead('it has too many pages');
  }

  function without(thread: Thread): Pick<SweepProgress, 'pendingReplies'> {
    return {
      pendingReplies: recorder.current.pendingReplies.filter(({ commentId }) => commentId !== thread.commentId),
    };
  }

  /** Reads a thread, or notes that it cannot be read. @throws what should end the sweep. */
  async function tryThread(thread: Thread): Promise<void> {
    try {
      await readThread(thread);
    } catch (error) {
      if (signal.aborted) throw error;
      // The comment was deleted meanwhile, and its replies with it.
      if (isDomainError(error, 'POST_NOT_FOUND')) return save(without(thread));
      const skippable = error instanceof ThreadNotRead || isDomainError(error, 'PLATFORM_UNAVAILABLE');
      repliesOutOfReach ||= isOutOfReach(error);
      if (!repliesOutOfReach && (!skippable || aside.size >= MAX_THREADS_ASIDE)) throw error;
      deps.logger.debug({ challengeId: start.challengeId, err: error }, 'replies of a comment not read');
      aside.add(thread.commentId);
      const { pendingReplies } = recorder.current;
      const asRead = pendingReplies.filter(({ commentId }) => commentId === thread.commentId);
      await save({ pendingReplies: [...without(thread).pendingReplies, ...asRead] });
    }
  }

  const nextThread = () => recorder.current.pendingReplies.find(({ commentId }) => !aside.has(commentId));

  async function readThreads(): Promise<void> {
    for (let thread = nextThread(); thread !== undefined && !repliesOutOfReach; thread = nextThread()) {
      if (replyPages >= limits.maxReplyPages) throw new LimitHit();
      await tryThread(thread);
    }
  }

  async function walk(): Promise<EndedSweep> {
    if (isResumable(start)) await catchUp();
    await readThreads();
    while (recorder.current.pagesRead === 0 || recorder.current.cursor !== null) {
      if (recorder.current.pagesRead >= limits.maxPages) return finish('partial');
      const leads = await readPage();
      await readThreads();
      if (leads === 'back') return finish('partial', { pendingReplies: [] });
      if (leads === 'stale') return finish('partial');
    }
    if (repliesOutOfReach) return finishSwept({ pendingReplies: [], historyComplete: false });
    aside.clear();
    await readThreads();
    const complete = recorder.current.pendingReplies.length === 0;
    return complete ? finishSwept({ historyComplete: true }) : finish('partial', { historyComplete: false });
  }

  try {
    return await walk();
  } catch (error) {
    if (error instanceof LimitHit || error instanceof ThreadNotRead) return finish('partial');
    await recorder.flush().catch(() => undefined);
    // Stopped from outside, or broken: the progress stays `running`, so that whoever comes next takes it up.
    if (signal.aborted || !anythingRead || !isPlatformFailure(error)) throw error;
    deps.logger.warn({ challengeId: start.challengeId, code: error.code }, 'sweep ended early');
    return finish('partial');
  } finally {
    await recorder.close();
  }
}

class ThreadNotRead extends Error {}
class LimitHit extends Error {}
