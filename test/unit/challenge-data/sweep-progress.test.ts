import { describe, expect, it } from 'vitest';
import type { SweepProgress } from '../../../core/engagement/challenge-data/comment.ts';
import { startOf } from '../../../core/engagement/challenge-data/sweep-progress.ts';

const NOW = new Date('2026-11-01T09:00:00Z');

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
    const { lastSwept } = next;
    expect(lastSwept).toMatchObject({ totalFetched: 9, confirmed: true, isWhole: true, lease: 1, leasedAt: NOW });
    expect(swept).toMatchObject(lastSwept ?? {});
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
});
