import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import { createTurns } from '../../../adapters/sqlite/turns.ts';

/** The clock stands still but for what is busy, on a machine of any speed. */
let now = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => void vi.restoreAllMocks());

const busyFor = (milliseconds: number) => {
  now += milliseconds;
};

describe('turns of the event loop', () => {
  it('are over after their time, and begin again with the next turn', async () => {
    const turns = createTurns(2);
    expect(turns.isOver()).toBe(false);
    busyFor(4);
    expect(turns.isOver()).toBe(true);
    await turns.next();
    expect(turns.isOver()).toBe(false);
  });

  it('are shared by those that wait: each turn serves as many as fit, first come first served', async () => {
    const turns = createTurns(2);
    let turn = 0;
    let waiting = true;
    const counting = (async () => {
      while (waiting) {
        await nextTurn();
        turn += 1;
      }
    })();
    const served: { readonly caller: number; readonly turn: number }[] = [];
    turns.isOver();
    busyFor(3);
    await Promise.all(
      Array.from({ length: 5 }, async (_, caller) => {
        await turns.next();
        served.push({ caller, turn });
        busyFor(3);
      }),
    );
    waiting = false;
    await counting;
    expect(served.map(({ caller }) => caller)).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(served.map((one) => one.turn)).size).toBe(5);
  });

  it('continue while reads of SQLite follow each other', async () => {
    const connection = createConnection({ path: ':memory:', busyTimeoutMs: 1_000 });
    await connection.open();
    let turns = 0;
    let reading = true;
    const counting = (async () => {
      while (reading) {
        await nextTurn();
        turns += 1;
      }
    })();
    for (let read = 0; read < 20; read += 1) {
      await connection.lookUp(() => busyFor(5));
      await connection.read(() => busyFor(5));
    }
    reading = false;
    await counting;
    await connection.close();
    expect(turns).toBeGreaterThan(10);
  });
});
