import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewComment, SweepProgress } from '../../../core/engagement/challenge-data/comment.ts';
import {
  createProgressRecorder,
  isResumable,
  startOf,
} from '../../../core/engagement/challenge-data/sweep-progress.ts';
import { SweepTakenOver } from '../../../core/ports/comment-store.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';

const NOW = new Date('2026-11-01T09:00:00Z');

const page = (...ids: string[]): NewComment[] =>
  ids.map((id) => ({ platformCommentId: id, username: 'user', commentText: 'text', commentedAt: NOW }));

function recorder() {
  /** What was stored: ids of comments, and the cursor. */
  const writes: (readonly [string, string | null])[] = [];
  const failures: Error[] = [];
  const logger = createRecordingLogger();
  const write = async (comments: readonly NewComment[], cursor: string | null = null): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    writes.push([comments.map(({ platformCommentId }) => platformCommentId).join(), cursor]);
    return comments.length;
  };
  const comments = {
    insertNew: (_id: number, added: readonly NewComment[], _now: Date, progress?: SweepProgress) =>
      write(added, progress?.cursor),
    saveSweep: async ({ cursor }: SweepProgress) => void (await write([], cursor)),
  };
  const deps = { comments, clock: { now: () => NOW }, logger, heartbeatMs: 1_000 };
  const made = createProgressRecorder(deps, startOf(1, null, NOW));
  return { made, writes, failures, logged: logger.lines };
}

describe('progress of a sweep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is stored with its comments, one write after the other, signs of life in between', async () => {
    const { made, writes } = recorder();
    await vi.advanceTimersByTimeAsync(995);
    const added = made.add(page('a', 'b'), { cursor: '1' });
    await vi.advanceTimersByTimeAsync(10);
    await added;
    expect(made.current.cursor).toBe('1');
    await vi.advanceTimersByTimeAsync(1_010);
    expect(writes).toEqual([
      ['a,b', '1'],
      ['', '1'],
      ['', '1'],
    ]);
    await made.close();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes).toHaveLength(3);
  });

  it('stays behind comments that could not be stored; a lost sign of life is logged', async () => {
    const { made, writes, failures, logged } = recorder();
    const err = new Error('storage gone');
    failures.push(err, err);
    const adding = expect(made.add(page('a'), { cursor: '1' })).rejects.toBe(err);
    await vi.advanceTimersByTimeAsync(10);
    await adding;
    expect(made.current.cursor).toBeNull();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(logged).toMatchObject([{ level: 'warn', fields: { err } }]);
    expect(writes).toEqual([['', null]]);
    await made.close();
  });

  it('closing waits for what is being written', async () => {
    const { made, writes } = recorder();
    void made.add(page('a'), { cursor: '1' });
    const closing = made.close();
    await vi.advanceTimersByTimeAsync(10);
    await closing;
    expect(writes).toEqual([['a', '1']]);
  });

  it('of a sweep that another has taken over is not stored any more', async () => {
    const { made, writes, failures } = recorder();
    failures.push(new SweepTakenOver());
    for (let tries = 0; tries < 2; tries += 1) {
      const adding = expect(made.add(page('a'), {})).rejects.toBeInstanceOf(SweepTakenOver);
      await vi.advanceTimersByTimeAsync(1_010);
      await adding;
    }
    expect(writes).toEqual([]);
    await made.close();
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
