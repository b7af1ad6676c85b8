import { beforeEach, describe, expect, it } from 'vitest';
import type { RunningJob } from '../../../adapters/leased-jobs/running-jobs.ts';
import { createWaitingRoom, type WaitingRoom } from '../../../adapters/leased-jobs/waiting-room.ts';

let now: number;
let room: WaitingRoom;

beforeEach(() => {
  now = 0;
  room = createWaitingRoom(5, () => now);
});

function jobOf(id: number, group: string | null): RunningJob {
  const never = new Date(8.64e15);
  const job = { type: 'deliver-webhook', key: String(id), payload: {}, run: 1, lease: 1, leaseUntil: never } as const;
  return {
    job: { ...job, id, group, createdAt: never },
    inHand: undefined,
    controller: new AbortController(),
    leaseUntil: never,
    lost: false,
    ended: false,
    isCounted: true,
    leftSlot: false,
  };
}

const next = () => room.next()?.job.id;

describe('the room of a lane', () => {
  it('gives groups their turns, and each group its order', () => {
    for (const [id, group] of [1, 2, 3].map((n) => [n, 'a'] as const)) room.add(jobOf(id, group));
    room.add(jobOf(4, 'b'));
    room.add(jobOf(5, null));
    expect([next(), next(), next(), next(), next(), next()]).toEqual([1, 4, 5, 2, 3, undefined]);
  });

  it('lets a group rest: its jobs keep their places, and others continue', () => {
    for (const id of [1, 2, 3]) room.add(jobOf(id, 'a'));
    const [first, second] = [room.next(), room.next()];
    if (!first || !second) throw new Error('The room has three jobs.');
    expect(room.takeBack(second, 20)).toBe(true);
    expect(room.takeBack(first, 10)).toBe(true);
    room.add(jobOf(4, 'b'));
    expect([room.size, room.readyAt()]).toEqual([4, 20]);
    expect([next(), next()]).toEqual([4, undefined]);
    now = 20;
    expect([next(), next(), next(), room.size]).toEqual([1, 2, 3, 0]);
    expect(room.readyAt()).toBeUndefined();
  });

  it('keeps no group for long that gets nothing through', () => {
    const job = jobOf(1, 'a');
    for (now = 0; now < 2_000; now += 100) {
      expect(room.takeBack(job, now + 100)).toBe(true);
      now += 100;
      expect(next()).toBe(1);
    }
    expect(room.takeBack(job, now + 100)).toBe(false);
    expect(room.size).toBe(0);
    room.gotThrough('a');
    expect(room.takeBack(job, now + 100)).toBe(true);
    expect(room.clear()).toEqual([job]);
    expect([room.size, room.readyAt()]).toEqual([0, undefined]);
  });

  it('forgets the rest of a group that has not come back', () => {
    room.takeBack(jobOf(1, 'a'), 100);
    now = 100;
    expect(next()).toBe(1);
    now = 5_000;
    expect(room.takeBack(jobOf(2, 'b'), 5_100)).toBe(true);
    expect(room.takeBack(jobOf(3, 'a'), 5_100)).toBe(true);
  });

  it('takes nothing back when it is full, and lets no group rest when it is more than full', () => {
    for (let id = 1; id <= 4; id += 1) room.add(jobOf(id, 'a'));
    expect(room.takeBack(jobOf(5, 'a'), 100)).toBe(true);
    expect(next()).toBeUndefined();
    expect(room.takeBack(jobOf(6, 'a'), 100)).toBe(false);
    room.add(jobOf(7, 'a'));
    expect(next()).toBe(1);
    expect(next()).toBeUndefined();
  });
});
