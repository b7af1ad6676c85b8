/** Reading the replies that a walk has noted in `pendingReplies`, thread by thread. */
import { isDomainError } from '../../errors.ts';
import type { CommentPage } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { CircleCheck } from './cursor-check.ts';
import { isNotUnderstood, isOutOfReach, isPlatformFailure } from './platform-failure.ts';
import type { WalkDeps } from './sweep-deps.ts';
import type { WalkRecord } from './sweep-record.ts';

/** The walk has read as many pages of replies as it may. */
export class LimitHit extends Error {}
/** A thread leads in circles, or has too many pages. */
export class ThreadNotRead extends Error {}

type Thread = SweepProgress['pendingReplies'][number];

/** Threads that cannot be read are put aside and tried once more at the end; with this many, the platform is failing. */
const MAX_THREADS_ASIDE = 20;

export class ThreadReader {
  /** True once the platform has shown that its replies cannot be read, at all or by this walk. */
  areOutOfReach = false;
  /** Why a thread was put aside: a failure that asking again later does not change, if there is one; null if none was. */
  failure: unknown = null;
  readonly #deps: WalkDeps;
  readonly #record: WalkRecord;
  /** Replies were refused to the last part of the sweep, and further pages wait for them. */
  readonly #werePagesHeldUp: boolean;
  /** Ids of threads put aside; they stand at the end of `pendingReplies`. */
  readonly #aside = new Set<string>();
  #pagesRead = 0;

  constructor(deps: WalkDeps, record: WalkRecord, start: SweepProgress) {
    this.#deps = deps;
    this.#record = record;
    this.#werePagesHeldUp = start.refusedSince !== null && start.pendingReplies.length > 0 && start.cursor !== null;
  }

  /**
   * Reads every pending thread but those that were put aside.
   * @throws LimitHit, and what should end the walk
   */
  async readAll(): Promise<void> {
    for (let thread = this.#next(); thread !== undefined && !this.areOutOfReach; thread = this.#next()) {
      if (this.#pagesRead >= this.#deps.limits.maxReplyPages) throw new LimitHit();
      await this.#tryToRead(thread);
    }
  }

  /** Counts replies that a page's comments have as not read, if their threads are out of reach. To be called after `readAll`. */
  async countLost(told: number): Promise<void> {
    const areRead = this.#deps.withReplies && !this.areOutOfReach;
    if (!areRead && told > 0) await this.#record.add([], { skipped: this.#record.current.skipped + told });
  }

  /** Reads those that were put aside once more. @throws as `readAll` */
  async readAside(): Promise<void> {
    this.#aside.clear();
    await this.readAll();
  }

  #next(): Thread | undefined {
    return this.#record.current.pendingReplies.find(({ commentId }) => !this.#aside.has(commentId));
  }

  #without({ commentId }: Thread): Pick<SweepProgress, 'pendingReplies'> {
    return { pendingReplies: this.#record.current.pendingReplies.filter((each) => each.commentId !== commentId) };
  }

  async #read(thread: Thread): Promise<void> {
    const { platform, post, limits, call } = this.#deps;
    const record = this.#record;
    const circles = new CircleCheck();
    let { cursor } = thread;
    for (let pages = 0; pages < limits.maxPagesPerThread; pages += 1) {
      const page: CommentPage = await platform.getReplies(post, thread.commentId, cursor, call);
      this.#pagesRead += 1;
      const { counts } = await record.count(page);
      circles.page(page.comments.map(({ id }) => id));
      const next = page.nextCursor;
      if (next === null) return record.add(page.comments, { ...counts, ...this.#without(thread) });
      if (circles.direction(next) !== 'ok') {
        const { totalFetched: _, ...unclear } = counts;
        await record.add(page.comments, unclear);
        throw new ThreadNotRead('the platform leads in circles');
      }
      cursor = next;
      await record.add(page.comments, {
        pendingReplies: record.current.pendingReplies.map((each) =>
          each.commentId === thread.commentId ? { ...each, cursor } : each,
        ),
        ...counts,
      });
      if (this.#pagesRead >= limits.maxReplyPages) throw new LimitHit();
    }
    throw new ThreadNotRead('it has too many pages');
  }

  /** Reads a thread, or puts it aside if it cannot be read. @throws what should end the walk */
  async #tryToRead(thread: Thread): Promise<void> {
    const { signal, logger } = this.#deps;
    const record = this.#record;
    try {
      await this.#read(thread);
    } catch (error) {
      if (signal.aborted) throw error;
      // The comment was deleted meanwhile, or this session may not see the post. Then the replies are still there.
      if (isDomainError(error, 'POST_NOT_FOUND')) {
        return record.add([], { ...this.#without(thread), skipped: record.current.skipped + 1 });
      }
      // A cursor into the thread that is no longer taken: it is read again from its beginning.
      const isLost = isDomainError(error, 'INVALID_REQUEST');
      const skippable = error instanceof ThreadNotRead || isDomainError(error, 'PLATFORM_UNAVAILABLE') || isLost;
      const endsWalk = !skippable || this.#aside.size >= MAX_THREADS_ASIDE;
      // Pages are readable, as the look at the top has shown, and replies are refused once more: the pages come first.
      const isHeldUpAgain = endsWalk && this.#werePagesHeldUp && this.#pagesRead === 0 && isPlatformFailure(error);
      this.areOutOfReach ||= isOutOfReach(error) || isHeldUpAgain;
      if (!this.areOutOfReach && endsWalk) throw error;
      logger.debug({ challengeId: record.current.challengeId, err: error }, 'replies of a comment not read');
      this.#aside.add(thread.commentId);
      if (!(this.failure instanceof ThreadNotRead || isNotUnderstood(this.failure))) this.failure = error;
      const asRead = record.current.pendingReplies.filter(({ commentId }) => commentId === thread.commentId);
      const last = isLost ? asRead.map((each) => ({ ...each, cursor: null })) : asRead;
      await record.add([], { pendingReplies: [...this.#without(thread).pendingReplies, ...last] });
    }
  }
}
