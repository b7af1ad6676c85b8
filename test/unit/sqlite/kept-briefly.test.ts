import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keptBriefly } from '../../../adapters/sqlite/kept-briefly.ts';

interface Item {
  readonly id: number;
  readonly active: boolean;
}

let commits: number;
let reads: number[];
let whileReading: () => void;
let find: (id: number) => Promise<Item | null>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  commits = 0;
  reads = [];
  whileReading = () => undefined;
  const read = async (id: number) => {
    reads.push(id);
    whileReading();
    return id === 404 ? null : { id, active: id < 100 };
  };
  find = keptBriefly({ commits: () => commits }, read, ({ active }) => active);
});
afterEach(() => vi.useRealTimers());

it('gives an item again for a moment', async () => {
  const first = await find(1);
  vi.advanceTimersByTime(9);
  expect(await find(1)).toBe(first);
  await find(2);
  expect(reads).toEqual([1, 2]);
  vi.advanceTimersByTime(1);
  await find(1);
  expect(reads).toEqual([1, 2, 1]);
});

it('reads again after every commit of this process', async () => {
  await find(1);
  commits += 1;
  await find(1);
  expect(reads).toEqual([1, 1]);
});

it('keeps nothing that was read while a commit was made, or for long', async () => {
  whileReading = () => {
    commits += 1;
  };
  await find(1);
  whileReading = () => vi.advanceTimersByTime(10);
  await find(1);
  whileReading = () => undefined;
  await find(1);
  expect(reads).toEqual([1, 1, 1]);
});

it('keeps nothing of before a commit, also if the next moment begins before it is here', async () => {
  const early = find(1);
  commits += 1;
  await Promise.all([find(2), early]);
  await find(1);
  expect(reads).toEqual([1, 2, 1]);
});

it('keeps nothing that its owner wants to be read every time, and nothing that is not there', async () => {
  for (const id of [100, 100, 404, 404]) await find(id);
  expect(reads).toEqual([100, 100, 404, 404]);
});
