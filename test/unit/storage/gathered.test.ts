import type { Db } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { gathered } from '../../../adapters/mongodb/gathered.ts';
import { nextTurn } from '../../../core/next-turn.ts';

const db = {} as Db;

/** Calls that come one by one, each when nothing else is under way. */
async function commandsFor(restMs: number): Promise<readonly (readonly number[])[]> {
  const commands: (readonly number[])[] = [];
  const double = gathered<number, number>(
    async (_db, items) => {
      commands.push(items);
      return items.map((item) => 2 * item);
    },
    { restMs },
  );
  const results: Promise<number>[] = [];
  for (let item = 1; item <= 5; item += 1) {
    results.push(double(db, item));
    await nextTurn();
  }
  expect(await Promise.all(results)).toEqual([2, 4, 6, 8, 10]);
  return commands;
}

describe('gathered calls', () => {
  it('that come one by one have a command each', async () => {
    expect(await commandsFor(0)).toEqual([[1], [2], [3], [4], [5]]);
  });

  it('share commands if the line rests after each, and the first is sent at once', async () => {
    const commands = await commandsFor(200);
    expect(commands[0]).toEqual([1]);
    expect(commands.flat()).toEqual([1, 2, 3, 4, 5]);
    expect(commands.length).toBeLessThan(5);
  });
});
