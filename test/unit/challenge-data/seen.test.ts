import { expect, it } from 'vitest';
import { createCircleCheck } from '../../../core/engagement/challenge-data/seen.ts';

/** Whether the check is stuck after each of these pages. */
const stuckAfter = (pages: readonly (readonly string[])[]) => {
  const check = createCircleCheck();
  return pages.map((ids) => {
    check.page(ids);
    return check.stuck();
  });
};

it('is not stuck before the first page, and counts what is new', () => {
  const check = createCircleCheck();
  expect(check.stuck()).toBe(false);
  expect(check.page(['a', 'b', 'a'])).toBe(2);
  expect(check.page(['b', 'c'])).toBe(1);
  expect(check.page(['a', 'c'])).toBe(0);
});

it('is stuck with the third page in a row that brings nothing new, empty or repeated', () => {
  expect(stuckAfter([['a'], ['a'], ['a'], ['a']])).toEqual([false, false, false, true]);
  expect(stuckAfter([[], [], []])).toEqual([false, false, true]);
  expect(stuckAfter([['a'], [], ['a'], []])).toEqual([false, false, false, true]);
});

it('begins to count again with every page that brings anything new', () => {
  expect(stuckAfter([['a'], ['a'], [], ['a', 'b'], [], ['b'], ['c']]).includes(true)).toBe(false);
});

it('knows a cursor when it comes again', () => {
  const check = createCircleCheck();
  expect(['x', 'y', 'x'].map((cursor) => check.isNewCursor(cursor))).toEqual([true, true, false]);
});
