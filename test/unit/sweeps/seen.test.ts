import { expect, it } from 'vitest';
import { createCircleCheck } from '../../../core/engagement/sweeps/seen.ts';

it('is not stuck before the first page, nor while pages bring anything new', () => {
  const check = createCircleCheck();
  expect(check.stuck()).toBe(false);
  expect(check.page(['a', 'b', 'a'])).toBe(2);
  expect(check.stuck()).toBe(false);
  expect(check.page(['b', 'c'])).toBe(1);
  expect(check.stuck()).toBe(false);
  expect(check.page(['a', 'c'])).toBe(0);
  expect(check.stuck()).toBe(true);
});

it('is stuck with the third empty page in a row', () => {
  const check = createCircleCheck();
  const stuckAfter = (ids: string[]) => {
    check.page(ids);
    return check.stuck();
  };
  expect([[], [], ['a'], [], [], []].map(stuckAfter)).toEqual([false, false, false, false, false, true]);
});

it('knows a cursor when it comes again', () => {
  const check = createCircleCheck();
  expect(['x', 'y', 'x'].map((cursor) => check.isNewCursor(cursor))).toEqual([true, true, false]);
});
