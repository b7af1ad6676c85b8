import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewComment, SweepProgress } from '../../../core/engagement/challenge-data/comment.ts';
import {
  createProgressRecorder,
  isResumable,
  startOf,
} from '../../../core/engagement/challenge-data/sweep-progress.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

const NOW = new Date('2026-11-01T09:00:00Z');

interface Write {
  readonly comments: readonly string[];
  readonly cursor: string | null;
}

const page = (...ids: string[]): NewComment[] =>
  ids.map((id) => ({ platformCommentId: id, username: 'user', commentText: 'text', commentedAt: NOW }));

function recorder() {
  const writes: Write[] = [];
  let failures = 0;
  let gate: Promise<void> = Promise.resolve();
  const logger = createRecordingLogger();
  const write = async (comments: readonly NewComment[], { cursor }: SweepProgress): Promise<number> => {
    await gate;
    if (failures > 0) {
      failures -= 1;
      throw new Error('storage gone');
    }
    writes.push({ comments: comments.map(({ platformCommentId }) => platformCommentId), cursor });
    return comments.length;
  };
  const made = createProgressRecorder(
    {
      comments: {
        insertNew: async (_id, comments, _now, progress) => {
          if (comments.length === 0) throw new Error('nothing to insert');
          return write(comments, progress ?? startOf(1, null, NOW));
        },
        saveSweep: async (progress) => void (await write([], progress)),
      },
      clock: { now: () => NOW },
      logger,
      heartbeatMs: 1_000,
    },
    startOf(1, null, NOW),
  );
  return {
    ...made,
    progress: () => made.current,
    writes,
    logged: logger.lines,
    failNext: (times: number) => {
      failures = times;
    },
    /** Holds every write from now on; returns what lets them go. */
    holdWrites: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

describe('progress of a sweep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('stores pages that come quickly together, a moment after the first', async () => {
    const { add, writes, close } = recorder();
    await add(page('a', 'b'), { cursor: '1' });
    await add(page('c'), { cursor: '2' });
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(writes).toEqual([{ comments: ['a', 'b', 'c'], cursor: '2' }]);
    await close();
  });

  const addPages = async (add: ReturnType<typeof recorder>['add'], from: number, to: number) => {
    for (let index = from; index <= to; index += 1) await add(page(`p${index}`), { cursor: String(index) });
  };

  it('stores pages when there are enough of them, and takes further ones meanwhile', async () => {
    const { add, flush, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 59);
    expect(writes).toEqual([]);
    letGo();
    await flush();
    expect(writes.map(({ comments, cursor }) => [comments.length, cursor])).toEqual([
      [20, '20'],
      [39, '59'],
    ]);
    await close();
  });

  it('stores what was stored in the background no second time', async () => {
    const { add, flush, writes, close } = recorder();
    await addPages(add, 1, 20);
    await vi.advanceTimersByTimeAsync(1);
    await flush();
    expect(writes).toHaveLength(1);
    await close();
  });

  it('waits for a slow storage when twice as many have come', async () => {
    const { add, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 59);
    let added = false;
    const adding = add(page('p60'), { cursor: '60' }).then(() => {
      added = true;
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(added).toBe(false);
    letGo();
    await adding;
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.map(({ comments }) => comments.length)).toEqual([20, 40]);
    await close();
  });

  it('stores what came during a write soon after it, though nothing more comes', async () => {
    const { add, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 21);
    await vi.advanceTimersByTimeAsync(100);
    letGo();
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.map(({ cursor }) => cursor)).toEqual(['20', '21']);
    await close();
  });

  it('bears a failure in the background, but not for long', async () => {
    const { add, flush, failNext, writes, logged, close } = recorder();
    failNext(1);
    await addPages(add, 1, 20);
    await flush();
    expect(writes.flatMap(({ comments }) => comments)).toEqual(Array.from({ length: 20 }, (_, at) => `p${at + 1}`));
    expect(logged).toEqual([{ level: 'warn', message: expect.any(String), fields: { err: expect.any(Error) } }]);
    failNext(100);
    await addPages(add, 21, 60);
    await expect(addPages(add, 61, 70)).rejects.toThrow('storage gone');
    await close();
  });

  it('writes nothing when nothing was added', async () => {
    const { add, flush, writes, close } = recorder();
    await flush();
    await add(page('a', 'b'), {});
    await flush();
    await flush();
    expect(writes).toHaveLength(1);
    await close();
  });

  it('keeps what could not be stored, in order, and never saves progress ahead of its comments', async () => {
    const { add, flush, failNext, writes, progress, close } = recorder();
    await add(page('a'), { cursor: '1' });
    failNext(2);
    await expect(flush()).rejects.toThrow('storage gone');
    // Neither the sign of life nor a further page may save the cursor alone.
    await vi.advanceTimersByTimeAsync(1_000);
    await add(page('b'), { cursor: '2' });
    await flush();
    expect(writes).toEqual([{ comments: ['a', 'b'], cursor: '2' }]);
    expect(progress().cursor).toBe('2');
    await close();
  });

  it('shows that it lives while nothing happens, and no more once closed', async () => {
    const { writes, close } = recorder();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(writes).toEqual([
      { comments: [], cursor: null },
      { comments: [], cursor: null },
    ]);
    await close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes).toHaveLength(2);
  });

  it('gathers pages for a moment from the first that is not stored yet', async () => {
    const { add, flush, writes, close } = recorder();
    await add(page('a'), {});
    await vi.advanceTimersByTimeAsync(30);
    await flush();
    await add(page('b'), {});
    await vi.advanceTimersByTimeAsync(30);
    await addPages(add, 1, 19);
    await vi.advanceTimersByTimeAsync(0);
    expect(writes.map(({ comments }) => comments.length)).toEqual([1, 20]);
    await add(page('c'), {});
    await vi.advanceTimersByTimeAsync(49);
    expect(writes).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(writes).toHaveLength(3);
    await close();
  });

  it('stores soon what comes after a sign of life stored the page before', async () => {
    const { add, writes, close } = recorder();
    await vi.advanceTimersByTimeAsync(980);
    await add(page('a'), {});
    await vi.advanceTimersByTimeAsync(100);
    await add(page('b'), {});
    await vi.advanceTimersByTimeAsync(50);
    expect(writes.map(({ comments }) => comments)).toEqual([['a'], ['b']]);
    await close();
  });

  it('tries again what could not be stored, though nothing was added', async () => {
    const { add, flush, failNext, writes, close } = recorder();
    await add(page('a'), {});
    failNext(1);
    await expect(flush()).rejects.toThrow('storage gone');
    await flush();
    expect(writes).toHaveLength(1);
    await close();
  });

  it('logs a sign of life that could not be given', async () => {
    const { failNext, logged, close } = recorder();
    failNext(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(logged).toMatchObject([{ level: 'warn', fields: { err: { message: 'storage gone' } } }]);
    await close();
  });

  it('closing waits for what is being written, and nothing follows it', async () => {
    const { add, holdWrites, writes, close } = recorder();
    const letGo = holdWrites();
    await addPages(add, 1, 21);
    await vi.advanceTimersByTimeAsync(100);
    let closed = false;
    const closing = close().then(() => {
      closed = true;
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(closed).toBe(false);
    letGo();
    await closing;
    expect(writes.map(({ cursor }) => cursor)).toEqual(['20']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes).toHaveLength(1);
  });

  it('closed before a page was stored stores it no more', async () => {
    const { add, writes, close } = recorder();
    await add(page('a'), {});
    await close();
    await vi.advanceTimersByTimeAsync(100);
    expect(writes).toEqual([]);
  });
});

describe('the beginning of a sweep', () => {
  const DAY = 24 * 3_600_000;
  const later = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);
  const last: SweepProgress = {
    ...startOf(1, null, NOW),
    cursor: 'c3',
    pendingReplies: [{ commentId: 'a', cursor: null }],
    pagesRead: 7,
    totalFetched: 9,
    status: 'partial',
    historyComplete: true,
  };

  it('is the top when there is nothing to continue from', () => {
    const fresh = {
      challengeId: 1,
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
      lease: 1,
      leasedAt: NOW,
      lastSwept: null,
      startedAt: NOW,
      updatedAt: NOW,
    };
    expect(startOf(1, null, NOW)).toEqual(fresh);
    expect(startOf(1, { ...last, cursor: null, pendingReplies: [] }, NOW)).toEqual({ ...fresh, lease: 2 });
  });

  it('is where the last one stopped, for a day', () => {
    const now = later(DAY);
    expect(startOf(1, last, now)).toEqual({
      ...last,
      pagesRead: 0,
      status: 'running',
      historyComplete: false,
      lease: 2,
      leasedAt: now,
      updatedAt: now,
    });
    expect(startOf(1, last, later(DAY + 1))).toEqual({ ...startOf(1, null, later(DAY + 1)), lease: 2 });
  });

  it('keeps what the last complete sweep has seen, while others run and fail', () => {
    const swept: SweepProgress = { ...last, cursor: null, pendingReplies: [], status: 'swept', confirmed: true };
    const next = startOf(1, swept, later(1));
    const { totalFetched, expectedTotal, unreadReplies, skipped, historyComplete, confirmed } = swept;
    const { unnumbered, unnamed, lease, leasedAt, startedAt, updatedAt } = swept;
    const seen = {
      totalFetched,
      expectedTotal,
      unreadReplies,
      skipped,
      unnumbered,
      unnamed,
      historyComplete,
      confirmed,
    };
    expect(next.lastSwept).toEqual({ ...seen, lease, leasedAt, startedAt, updatedAt });
    const failed = { ...next, status: 'failed' } as const;
    expect(startOf(1, failed, later(2))).toMatchObject({ lastSwept: next.lastSwept, lease: 3 });
    expect(startOf(1, { ...failed, cursor: 'c1' }, later(2)).lastSwept).toEqual(next.lastSwept);
  });

  it('is where a sweep stopped that is read for more than a day', () => {
    const long = { ...last, startedAt: new Date(NOW.getTime() - 3 * DAY) };
    expect(startOf(1, long, later(DAY))).toMatchObject({ startedAt: long.startedAt, cursor: last.cursor });
  });

  it.each([
    ['that was cut off', { status: 'running' }, 7],
    ['that was stopped', { status: 'stopped' }, 7],
    ['that has pages left to read', { status: 'partial' }, 0],
    ['that has only replies left to read', { status: 'partial', cursor: null }, 7],
  ] as const)('of one %s counts pages accordingly', (_what, changes, expected) => {
    expect(startOf(1, { ...last, ...changes }, NOW).pagesRead).toBe(expected);
  });

  it('is elsewhere than the top with a cursor or with threads', () => {
    const resumable = (changes: Partial<SweepProgress>) => isResumable({ ...last, ...changes });
    expect(resumable({})).toBe(true);
    expect(resumable({ cursor: null })).toBe(true);
    expect(resumable({ pendingReplies: [] })).toBe(true);
    expect(resumable({ cursor: null, pendingReplies: [] })).toBe(false);
  });
});
