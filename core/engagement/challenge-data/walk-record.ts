/** What a walk has seen and read so far, beside the progress that is saved with it. */
import type { CommentPage, PlatformComment } from '../../ports/platform.ts';
import type { SweepProgress } from './comment.ts';
import { larger, toNewComment } from './pages.ts';
import { createProgressRecorder, isResumable } from './progress.ts';
import type { WalkDeps } from './walk-deps.ts';

export interface WalkRecord {
  /** With all that was added, also what is not stored yet. */
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
  /** These, and what a page of comments says about those that it does not hold. */
  unseenWith(page: CommentPage): Unclear & Pick<SweepProgress, 'expectedTotal'>;
  /** Adds a page and what it changes; stored soon, see `ProgressRecorder.add`. */
  add(comments: readonly PlatformComment[], changes: Partial<SweepProgress>): Promise<void>;
  /** Stores changes, and all that was added, now. */
  save(changes: Partial<SweepProgress>): Promise<void>;
  /** Waits until all is stored. */
  flush(): Promise<void>;
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
      const before = seen.size;
      seen.add(id);
      if (seen.size > before) fresh.push(id);
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
    unseenWith: (page) => ({
      ...unclearWith(page),
      expectedTotal: larger(recorder.current.expectedTotal, page.expectedTotal ?? null),
    }),
    add: (comments, changes) => recorder.add(comments.map(toNewComment), changes),
    async save(changes) {
      await recorder.add([], changes);
      await recorder.flush();
    },
    flush: () => recorder.flush(),
    close: () => recorder.close(),
  };
}
