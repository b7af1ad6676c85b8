import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRoomWait } from '../../../adapters/leased-jobs/room-wait.ts';

let isRoomy: boolean;
const options = { isRoomy: () => isRoomy, isDraining: (done: number) => done >= 2 };
let passed: string[];

beforeEach(() => {
  vi.useFakeTimers();
  isRoomy = false;
  passed = [];
});
afterEach(() => void vi.useRealTimers());

const settled = () => vi.advanceTimersByTimeAsync(0);

describe('waiting for room', () => {
  it('ends for all who wait once there is room', async () => {
    const { wait, look } = createRoomWait(options);
    for (const name of ['first', 'second']) void wait().then(() => passed.push(name));
    look();
    await settled();
    expect(passed).toEqual([]);
    isRoomy = true;
    look();
    await settled();
    expect(passed).toEqual(['first', 'second']);
    await wait();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends after a moment without room, and holds nobody up for a while after that', async () => {
    const { wait } = createRoomWait(options);
    void wait().then(() => passed.push('in vain'));
    await vi.advanceTimersByTimeAsync(249);
    expect(passed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(passed).toEqual(['in vain']);
    await wait();
    await vi.advanceTimersByTimeAsync(2_000);
    void wait().then(() => passed.push('again'));
    await settled();
    expect(passed).toEqual(['in vain']);
  });

  it('lasts for another moment as long as enough jobs are done', async () => {
    const { wait, look, countDone } = createRoomWait(options);
    void wait().then(() => passed.push('in vain'));
    for (const done of [2, 3, 1]) {
      for (let job = 0; job < done; job += 1) countDone();
      // Jobs that wait elsewhere now.
      for (let job = 0; job < 5; job += 1) look();
      expect(passed).toEqual([]);
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(passed).toEqual(['in vain']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
