/** The progress of a sweep: where it begins, and how it is saved. */
import type { Clock } from '../../ports/clock.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SweepProgress } from '../comment.ts';

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
  readonly current: SweepProgress;
  /** Changes the progress and saves it. */
  save(changes: Partial<SweepProgress>): Promise<void>;
  /** Ends the signs of life and waits for what is being written. Never rejects. */
  close(): Promise<void>;
}

export interface ProgressRecorderDeps {
  readonly comments: Pick<CommentStore, 'saveSweep'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the progress is saved although nothing happens, as a sign of life. */
  readonly heartbeatMs: number;
}

/** Saves one write after the other, so that a sign of life never overwrites what is newer. */
export function createProgressRecorder(deps: ProgressRecorderDeps, start: SweepProgress): ProgressRecorder {
  let current = start;
  let saving: Promise<void> = Promise.resolve();

  function save(changes: Partial<SweepProgress>): Promise<void> {
    current = { ...current, ...changes, updatedAt: deps.clock.now() };
    const snapshot = current;
    const write = () => deps.comments.saveSweep(snapshot);
    saving = saving.then(write, write);
    return saving;
  }

  const heartbeat = setInterval(() => {
    save({}).catch((error: unknown) => deps.logger.warn({ err: error }, 'progress of a sweep not saved'));
  }, deps.heartbeatMs);

  return {
    get current() {
      return current;
    },
    save,
    async close() {
      clearInterval(heartbeat);
      await saving.catch(() => undefined);
    },
  };
}
