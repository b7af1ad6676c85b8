import { expect, it } from 'vitest';
import { createCircleCheck } from '../../../core/engagement/challenge-data/cursor-check.ts';

/** Whether the check is stuck after each of these pages, of which `N` holds something new. */
const stuckAfter = (pages: string) => {
  const check = createCircleCheck();
  return [...pages].map((page) => {
    check.page(page === 'N');
    return check.stuck();
  });
};

it('is not stuck before the first page', () => {
  expect(createCircleCheck().stuck()).toBe(false);
});

it('is stuck with the third page in a row that brings nothing new', () => {
  expect(stuckAfter('N---')).toEqual([false, false, false, true]);
  expect(stuckAfter('---')).toEqual([false, false, true]);
});

it('begins to count again with every page that brings anything new', () => {
  expect(stuckAfter('N--N--N')).not.toContain(true);
});

it('knows a cursor when it comes again', () => {
  const check = createCircleCheck();
  expect(['x', 'y', 'x'].map((cursor) => check.isNewCursor(cursor))).toEqual([true, true, false]);
});
