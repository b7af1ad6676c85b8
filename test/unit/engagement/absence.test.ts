import { describe, expect, it } from 'vitest';
import {
  commentsAbsence,
  DEFAULT_ABSENCE_TOLERANCE,
  likersAbsence,
} from '../../../core/engagement/attempts/absence.ts';

const comments = (
  totalFetched: number,
  expectedTotal: number | null,
  {
    unreadReplies = 0,
    skipped = 0,
    historyComplete = true,
    confirmed = false,
    tolerance = DEFAULT_ABSENCE_TOLERANCE,
  } = {},
) => commentsAbsence({ totalFetched, unreadReplies, skipped, expectedTotal, historyComplete, confirmed }, tolerance);

describe('absence from the comments', () => {
  it.each([
    [0, 0],
    // More were read than are counted: some were written meanwhile.
    [552, 551],
    // Three of six counted replies exist.
    [3, 6],
    [98, 100],
    [9_800, 10_000],
    [1, 2],
  ])('is proven by %i of %i', (read, total) => {
    expect(comments(read, total)).toEqual({ isProven: true });
  });

  it.each([
    [11, 551],
    [0, 551],
    // An empty list proves nothing, however short.
    [0, 1],
    [2, 6],
    [96, 100],
    [9_799, 10_000],
  ])('is not proven by %i of %i', (read, total) => {
    const noun = total === 1 ? 'comment' : 'comments';
    expect(comments(read, total)).toEqual({ isProven: false, why: `only ${read} of ${total} ${noun} could be read` });
  });

  it('is not proven without a total', () => {
    const why = 'the platform does not say how many comments there are';
    expect(comments(551, null)).toEqual({ isProven: false, why });
  });

  it('is not proven while a single comment cannot be read', () => {
    expect(comments(551, 551, { skipped: 1 })).toEqual({ isProven: false, why: '1 comment could not be read' });
  });

  it('is proven by another way of reading that agrees, unless a comment cannot be read', () => {
    expect(comments(11, 551, { confirmed: true })).toEqual({ isProven: true });
    expect(comments(11, null, { confirmed: true })).toEqual({ isProven: true });
    expect(comments(11, 551, { confirmed: true, skipped: 1 })).toMatchObject({ isProven: false });
  });

  it('does not need replies that are no part of the search', () => {
    expect(comments(150, 200, { unreadReplies: 50 })).toEqual({ isProven: true });
  });

  it.each([
    [1, 0],
    // What is shown in place of a hidden number.
    [11, 3],
    [551, 500],
  ])('is not proven by %i of a total of %i, which cannot be right', (read, total) => {
    const noun = total === 1 ? 'comment' : 'comments';
    const why = `the platform counts ${total} ${noun} and shows ${read}`;
    expect(comments(read, total)).toEqual({ isProven: false, why });
  });

  it('is not proven by counts of replies that do not add up', () => {
    expect(comments(20, 5_000, { unreadReplies: 999_999 })).toMatchObject({ isProven: false });
    expect(comments(20, 5_000, { unreadReplies: 4_980 })).toEqual({ isProven: true });
    // This total is one of comments alone.
    expect(comments(200, 200, { unreadReplies: 150 })).toEqual({ isProven: true });
  });

  it('lacks nothing while replies are out of reach: what is missing may be one', () => {
    expect(comments(4, 6, { historyComplete: false })).toMatchObject({ isProven: false });
    expect(comments(99, 100, { historyComplete: false })).toMatchObject({ isProven: false });
    expect(comments(100, 100, { historyComplete: false })).toEqual({ isProven: true });
  });

  it('is as tolerant as configured', () => {
    expect(comments(99, 100, { tolerance: { count: 0, share: 0 } })).toMatchObject({ isProven: false });
    expect(comments(100, 100, { tolerance: { count: 0, share: 0 } })).toEqual({ isProven: true });
    expect(comments(90, 100, { tolerance: { count: 0, share: 0.1 } })).toEqual({ isProven: true });
    expect(comments(90, 100, { tolerance: { count: 10, share: 0 } })).toEqual({ isProven: true });
    // Half has to be read whatever is tolerated.
    expect(comments(49, 100, { tolerance: { count: 1_000, share: 0.5 } })).toMatchObject({ isProven: false });
  });
});

describe('absence from the likers', () => {
  it.each([
    [22, 22],
    [23, 22],
    [0, 0],
  ])('is proven by %i of %i', (fetchedCount, totalLikes) => {
    expect(likersAbsence({ fetchedCount, totalLikes })).toEqual({ isProven: true });
  });

  it.each([
    [100, 50_000],
    [21, 22],
  ])('is not proven by %i of %i: everybody must have been seen', (fetchedCount, totalLikes) => {
    const why = `only ${fetchedCount} of ${totalLikes} likers could be seen`;
    expect(likersAbsence({ fetchedCount, totalLikes })).toEqual({ isProven: false, why });
  });

  it.each([
    [100, 3],
    [1, 0],
    [100, 50],
  ])('is not proven by %i who like a post with %i likes', (fetchedCount, totalLikes) => {
    expect(likersAbsence({ fetchedCount, totalLikes })).toMatchObject({ isProven: false });
  });

  it('is not proven while the number of likes is hidden', () => {
    const why = 'the platform does not say how many likes there are';
    expect(likersAbsence({ fetchedCount: 1_000, totalLikes: null })).toEqual({ isProven: false, why });
  });
});

describe('absence of an account whose number is known', () => {
  const seen = { totalFetched: 9, expectedTotal: 9, unreadReplies: 0, historyComplete: true, confirmed: false };
  const byNumber = { byNumber: true, byHandle: false };
  const absence = (unclear: object, by = byNumber) =>
    commentsAbsence({ ...seen, skipped: 0, unnumbered: 0, unnamed: 0, ...unclear }, DEFAULT_ABSENCE_TOLERANCE, by);

  it('is proven by numbers alone', () => {
    expect(absence({})).toEqual({ isProven: true });
    expect(absence({ skipped: 2, unnamed: 2 })).toEqual({ isProven: true });
  });

  it.each([
    ['a comment without a number', { unnumbered: 1 }],
    ['a reading of an earlier release', { unnumbered: null }],
    ['a comment that could not be read', { skipped: 3, unnamed: 2 }],
  ])('is left open by %s', (_what, unclear) => {
    expect(absence(unclear)).toMatchObject({ isProven: false });
  });

  it('is left open by a comment without a handle if a handle is looked for, too', () => {
    expect(absence({ skipped: 2, unnamed: 2 }, { byNumber: true, byHandle: true })).toMatchObject({ isProven: false });
  });
});
