/** The progress of a sweep: where it begins, and how it is saved. */
import type { Clock } from '../../ports/clock.ts';
import { type CommentStore, SweepTakenOver } from '../../ports/comment-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NewComment, SweepProgress, SweptReading } from './comment.ts';

/** Older progress is not gone on from: too much may have changed above it. */
const RESUMABLE_FOR_MS = 24 * 60 * 60 * 1_000;

/** True when a sweep stopped somewhere it can continue from. */
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
    expectedTotal: null,
    unreadReplies: 0,
    skipped: 0,
    unnumbered: 0,
    unnamed: 0,
    confirmed: false,
    refusedSince: null,
    lease: (last?.lease ?? 0) + 1,
    leasedAt: now,
    lastSwept: last === null ? null : sweptBy(last),
    startedAt: now,
    updatedAt: now,
  };
  if (last === null || !isResumable(last) || now.getTime() - last.updatedAt.getTime() > RESUMABLE_FOR_MS) return fresh;
  // A sweep that was cut off keeps its count of pages; one that used its pages up gets new ones.
  const wasCutOff = last.status === 'running' || last.status === 'stopped';
  const pagesRead = wasCutOff || last.cursor === null ? last.pagesRead : 0;
  const { lease, leasedAt, lastSwept } = fresh;
  // One that was cut off may have come further since it was refused.
  const refusedSince = wasCutOff ? null : last.refusedSince;
  const going = { status: 'running', historyComplete: false, confirmed: false, updatedAt: now } as const;
  return { ...last, ...going, pagesRead, refusedSince, lease, leasedAt, lastSwept };
}

/** What the last sweep that reached the end has seen; null if none has. */
function sweptBy(last: SweepProgress): SweptReading | null {
  if (last.status !== 'swept') return last.lastSwept;
  const { totalFetched, expectedTotal, unreadReplies, skipped, historyComplete, confirmed, ...rest } = last;
  const { unnumbered = null, unnamed = 0, lease, leasedAt, startedAt, updatedAt } = rest;
  const seen = { totalFetched, expectedTotal, unreadReplies, skipped, unnumbered, unnamed, historyComplete, confirmed };
  return { ...seen, lease, leasedAt, startedAt, updatedAt };
}

export interface ProgressRecorder {
  /** With all that was added, also what is not stored yet. */
  readonly current: SweepProgress;
  /**
   * Adds a page and what it changes. Pages that come quickly one after the other are stored together, since a storage takes
   * little longer for several. They are stored a moment later, or as soon as there are enough of them. Meanwhile the next
   * ones may come; when there are enough of those too, the call waits. Comments and the progress that they mean are stored
   * together or in this order.
   *
   * @throws what the storage throws, when too many pages wait for it; until then it is logged, and the pages are kept.
   * `SweepTakenOver` as soon as it is known
   */
  add(comments: readonly NewComment[], changes: Partial<SweepProgress>): Promise<void>;
  /** Waits until all is stored. @throws as `add`. */
  flush(): Promise<void>;
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

/** Pages that are stored together, and how long the first of them waits for others. */
const PAGES_TOGETHER = 20;
const GATHER_MS = 50;
/** Pages that wait for a slow storage before the walk waits too. */
const MOST_PAGES_HELD = 40;

/** One write after the other, each of what stands then: a sign of life never overwrites what is newer. */
export function createProgressRecorder(deps: ProgressRecorderDeps, start: SweepProgress): ProgressRecorder {
  let current = start;
  let held: NewComment[] = [];
  let heldPages = 0;
  let isDirty = false;
  let writing: Promise<unknown> = Promise.resolve();
  /** A write that nobody has to wait for. Never rejects. */
  let storing: Promise<void> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  let takenOver: SweepTakenOver | null = null;

  function write(): Promise<void> {
    const written = writing.then(writeHeld, writeHeld);
    writing = written;
    return written;
  }

  async function writeHeld(): Promise<void> {
    const comments = held;
    const pages = heldPages;
    const now = deps.clock.now();
    const progress = { ...current, updatedAt: now };
    held = [];
    heldPages = 0;
    isDirty = false;
    try {
      if (comments.length > 0) await deps.comments.insertNew(start.challengeId, comments, now, progress);
      else await deps.comments.saveSweep(progress);
    } catch (error) {
      if (error instanceof SweepTakenOver) {
        takenOver = error;
        throw error;
      }
      held = [...comments, ...held];
      heldPages += pages;
      isDirty = true;
      throw error;
    }
  }

  function warn(error: unknown): void {
    deps.logger.warn({ err: error }, 'progress of a sweep not saved');
  }

  function store(): void {
    stopTimer();
    storing = write()
      .catch(warn)
      .finally(() => {
        storing = null;
      });
  }

  async function storeInTurn(): Promise<void> {
    await storing;
    if (isDirty && !closed) store();
  }

  async function flush(): Promise<void> {
    stopTimer();
    await storing;
    if (takenOver !== null) throw takenOver;
    if (isDirty) await write();
  }

  function stopTimer(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  const heartbeat = setInterval(() => {
    if (takenOver === null) void write().catch(warn);
  }, deps.heartbeatMs);

  return {
    get current() {
      return current;
    },
    async add(comments, changes) {
      if (takenOver !== null) throw takenOver;
      current = { ...current, ...changes, updatedAt: deps.clock.now() };
      held.push(...comments);
      heldPages += 1;
      isDirty = true;
      if (heldPages < PAGES_TOGETHER) {
        timer ??= setTimeout(() => {
          timer = undefined;
          void storeInTurn();
        }, GATHER_MS);
        return;
      }
      if (heldPages >= MOST_PAGES_HELD) await storing;
      // More than were added: the storage failed, and must say so now.
      if (heldPages > MOST_PAGES_HELD) await flush();
      else if (storing === null) store();
    },
    flush,
    async close() {
      clearInterval(heartbeat);
      closed = true;
      await writing.catch(() => undefined);
    },
  };
}
