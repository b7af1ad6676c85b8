/** What a walk has seen and read so far, with the progress that is saved with it. */
import { SweepTakenOver } from '../../ports/comment-store.ts';
import type { CommentPage, PlatformComment } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { countTold, countUnread, larger, toNewComment } from './page.ts';
import type { WalkDeps } from './sweep-deps.ts';
import { isResumable } from './sweep-progress.ts';

interface CountedPage {
  /** How many of its comments the sweep meets for the first time. */
  readonly fresh: number;
  /**
   * How many replies its new comments say they have, beside those that came inline; 0 if replies are no part of what is looked
   * for. If their threads are out of reach, these replies exist and cannot be read.
   */
  readonly told: number;
  /** The counts of the sweep with this page. */
  readonly counts: Partial<SweepProgress>;
}

/** Writes one after the other, each of what stands then: a sign of life never overwrites what is newer. */
export class WalkRecord {
  /** As it is stored. */
  current: SweepProgress;
  anythingRead = false;
  /** A page gave the total of the post itself, beside the list. */
  hasPostTotal = false;
  readonly #deps: WalkDeps;
  readonly #start: SweepProgress;
  /** Ids of the comments and replies that this walk has met. */
  readonly #seen = new Set<string>();
  readonly #heartbeat: NodeJS.Timeout;
  #writing: Promise<unknown> = Promise.resolve();
  #takenOver: SweepTakenOver | null = null;

  constructor(deps: WalkDeps, start: SweepProgress) {
    this.current = start;
    this.#deps = deps;
    this.#start = start;
    let isBeating = false;
    this.#heartbeat = setInterval(async () => {
      // A storage that is slow is not given more to do.
      if (isBeating || this.#takenOver !== null) return;
      isBeating = true;
      await this.add([], {}).catch((err: unknown) => deps.logger.warn({ err }, 'progress of a sweep not saved'));
      isBeating = false;
    }, deps.takeOverAfterMs / 3);
  }

  /** Stores a page and what it changes, together. @throws what the storage throws; `SweepTakenOver` as soon as it is known */
  add(comments: readonly PlatformComment[], changes: Partial<SweepProgress>): Promise<void> {
    const written = this.#writing.then(() => this.#write(comments, changes));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Ends the signs of life and waits for what is being written. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#writing;
  }

  /** Counts a page of comments, once. The record takes note of the page, and the caller adds it. */
  async countPage(page: CommentPage, isContinued = isResumable(this.#start)): Promise<CountedPage> {
    // Of new comments only, so before the record takes note of them.
    const unread = await this.#unreadOn(page, isContinued);
    const told = this.#deps.repliesCount ? countTold(page.comments, this.#seen) : 0;
    const { fresh, counts } = await this.count(page);
    const expectedTotal = larger(this.current.expectedTotal, page.expectedTotal ?? null);
    const unreadReplies = this.current.unreadReplies + unread;
    return { fresh, told, counts: { ...counts, expectedTotal, unreadReplies } };
  }

  /**
   * Takes note of a page that came, and counts its comments: those that the sweep meets for the first time, and those that cannot
   * be compared by handle or by number. Earlier parts of the sweep have met what was stored or met again since it began. A low
   * count leaves absence unproven; a double count would prove it wrongly.
   */
  async count(page: CommentPage): Promise<Omit<CountedPage, 'told'>> {
    const { comments, skipped = 0, isWhole = false } = page;
    this.anythingRead = true;
    if (page.isPostTotal && page.expectedTotal != null) this.hasPostTotal = true;
    this.#deps.onPage?.(page);
    const ids = [...new Set(comments.map(({ id }) => id))].filter((id) => !this.#seen.has(id));
    for (const id of ids) this.#seen.add(id);
    const fresh = ids.length - (await this.#metEarlier(ids));
    const { current } = this;
    const unnamed = comments.filter(({ username }) => username === '').length;
    const unnumbered = comments.filter(({ authorId }) => !authorId).length;
    const counts = {
      totalFetched: current.totalFetched + fresh,
      // Not every reader counts those that it could read.
      skipped: current.skipped + Math.max(skipped, unnamed),
      unnamed: (current.unnamed ?? 0) + unnamed,
      unnumbered: current.unnumbered == null ? null : current.unnumbered + unnumbered,
      isWhole: current.isWhole === true && isWhole,
    };
    return { fresh, counts };
  }

  async #write(comments: readonly PlatformComment[], changes: Partial<SweepProgress>): Promise<void> {
    if (this.#takenOver !== null) throw this.#takenOver;
    const { comments: store, clock } = this.#deps;
    const now = clock.now();
    const progress = { ...this.current, ...changes, updatedAt: now };
    const added = comments.map(toNewComment);
    try {
      // First: a comment that was met without them is taken for another account's (`renamedSince`).
      await this.#deps.noteAccounts(added);
      if (comments.length === 0) await store.saveSweep(progress);
      else await store.insertNew(progress.challengeId, added, now, progress);
      this.current = progress;
    } catch (error) {
      if (error instanceof SweepTakenOver) this.#takenOver = error;
      throw error;
    }
  }

  async #metEarlier(ids: readonly string[]): Promise<number> {
    if (!isResumable(this.#start) || ids.length === 0) return 0;
    const { challengeId, startedAt } = this.#start;
    return (await this.#deps.comments.knownAmong(challengeId, ids, startedAt)).size;
  }

  /**
   * Counts replies that this sweep does not read: those of the page's new comments, except the replies that came inline. Returns
   * 0 if replies are swept. Comments that an earlier part of the sweep has met were not seen by this walk, but they are stored.
   * Comments that only an earlier sweep has stored are left out too: a low count leaves absence unproven.
   */
  async #unreadOn({ comments }: CommentPage, isContinued: boolean): Promise<number> {
    if (this.#deps.repliesCount) return 0;
    if (!isContinued) return countUnread(comments, this.#seen);
    const counted = comments.filter(({ parentId, replyCount }) => parentId !== null || (replyCount ?? 0) > 0);
    if (counted.length === 0) return 0;
    const ids = counted.map(({ id }) => id);
    const stored = await this.#deps.comments.knownAmong(this.#start.challengeId, ids);
    const unknown = counted.filter(({ id }) => !stored.has(id));
    return countUnread(unknown, this.#seen);
  }
}
