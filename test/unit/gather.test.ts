import { expect, it } from 'vitest';
import { gathered } from '../../core/gather.ts';

it('answers the calls of one turn together, each key once, and later calls again', async () => {
  const asked: (readonly number[])[] = [];
  let stored = 10;
  const find = gathered(async (keys: readonly number[]) => {
    asked.push(keys);
    return new Map(keys.filter((key) => key < 3).map((key) => [key, key * stored]));
  });
  const first = Promise.all([find(1), find(2), find(1), find(3)]);
  // What is stored after a call is found by it, as long as it waits.
  stored = 20;
  expect(await first).toEqual([20, 40, 20, undefined]);
  expect(await find(1)).toBe(20);
  expect(asked).toEqual([[1, 2, 3], [1]]);
});

it('fails all calls of a turn with what the work throws, and none of the next', async () => {
  let isAway = true;
  const find = gathered(async (keys: readonly string[]) => {
    if (isAway) throw new Error('away');
    return new Map(keys.map((key) => [key, key]));
  });
  const failed = await Promise.allSettled([find('a'), find('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await find('a')).toBe('a');
});
