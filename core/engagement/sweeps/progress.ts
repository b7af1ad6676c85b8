/** The progress of a sweep: where it begins, and how it is saved. */
import type { Clock } from '../../ports/clock.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NewComment, SweepProgress } from '../comment.ts';

/** Older progress is not gone on from: too much may have changed above it. */
const RESUMABLE_FOR_MS = 24 * 60 * 60 * 1_000;

/** True when a sweep stopped somewhere it can go on from. */
export function isResumable({ cursor, pendingReplies }: SweepProgress): boolean {
  return cursor !== null || pendingReplies.length > 0;
}

/** Where a sweep begins: where the last one stopped, or at the top. */
export function startOf(challengeId: number, last: SweepProgress | null, now: Date): SweepProgress {
  const fresh: SweepProgress = {
    challengeId,
    cursor: null,
    pendingReplies: [],
    pagesRead: 0,
    totalFetched: 0,
    status: 'running',
    historyComplete: false,
    startedAt: now,
    updatedAt: now,
  };
  if (last === null || !isResumable(last) || now.getTime() - last.startedAt.getTime() > RESUMABLE_FOR_MS) return fresh;
  // A sweep that was cut off keeps its count of pages; one that used its pages up gets new ones.
  const pagesRead = last.status === 'running' || last.cursor === null ? last.pagesRead : 0;
  return { ...last, pagesRead, status: 'running', historyComplete: false, updatedAt: now };
}

export interface ProgressRecorder {
  /** With all that was added, also what is not stored yet. */
  readonly current: SweepProgress;
  /**
   * Adds a page and what it changes. Pages that come quickly one after the other are stored together, since a storage that
   * flushes takes little longer for several: at the latest a moment later, or when there are enough of them, which is waited
   * for. Comments and the progress that they mean are stored together or in this order.
   */
  add(comments: readonly NewComment[], changes: Partial<SweepProgress>): Promise<void>;
  /** Stores what is not stored yet; resolves to how many comments were new. What could not be stored is kept. */
  flush(): Promise<number>;
  /** Ends the signs of life and waits for what is being written. Never rejects. */
  close(): Promise<void>;
}

export interface ProgressRecorderDeps {
  readonly comments: Pick<CommentStore, 'insertNew' | 'saveSweep'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the progress is saved although nothing happens, as a sign of life. */
  readonly heartbeatMs: number;
}

/** Pages that are stored together at most, and how long the first of them waits for others. */
const MAX_PAGES = 8;
const GATHER_MS = 50;

/** One write after the other, each of what stands then: a sign of life never overwrites what is newer. */
export function createProgressRecorder(deps: ProgressRecorderDeps, start: SweepProgress): ProgressRecorder {
  let current = start;
  let held: NewComment[] = [];
  let heldPages = 0;
  let isDirty = false;
  let writing: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | null = null;

  function write(): Promise<number> {
    const written = writing.then(writeHeld, writeHeld);
    writing = written;
    return written;
  }

  async function writeHeld(): Promise<number> {
    const comments = held;
    const pages = heldPages;
    const now = deps.clock.now();
    const progress = { ...current, updatedAt: now };
    held = [];
    heldPages = 0;
    isDirty = false;
    try {
      if (comments.length > 0) return await deps.comments.insertNew(start.challengeId, comments, now, progress);
      await deps.comments.saveSweep(progress);
      return 0;
    } catch (error) {
      held = [...comments, ...held];
      heldPages += pages;
      isDirty = true;
      throw error;
    }
  }

  function quietly(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => deps.logger.warn({ err: error }, 'progress of a sweep not saved'));
  }

  async function flush(): Promise<number> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    return isDirty ? write() : 0;
  }

  const heartbeat = setInterval(() => quietly(write), deps.heartbeatMs);

  return {
    get current() {
      return current;
    },
    async add(comments, changes) {
      current = { ...current, ...changes, updatedAt: deps.clock.now() };
      held.push(...comments);
      heldPages += 1;
      isDirty = true;
      if (heldPages >= MAX_PAGES) await flush();
      else timer ??= setTimeout(() => quietly(flush), GATHER_MS);
    },
    flush,
    async close() {
      clearInterval(heartbeat);
      if (timer !== null) clearTimeout(timer);
      await writing.catch(() => undefined);
    },
  };
}
