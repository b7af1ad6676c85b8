import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Connection, createConnection } from '../../../adapters/sqlite/database.ts';
import { gatheredFind } from '../../../adapters/sqlite/gathered-find.ts';

let connection: Connection;
let reads: string[];
let find: (id: number) => Promise<string | null>;
let now: number;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  connection = createConnection({ path: ':memory:', busyTimeoutMs: 1_000 });
  await connection.open();
  reads = [];
  // The ids themselves come back, as rows of a table would.
  const text = 'SELECT value AS id FROM json_each(?) WHERE value < 10';
  const read: Connection['lookUp'] = (work) =>
    connection.lookUp((sql) => {
      const all: typeof sql.all = (query, ...values) => {
        reads.push(String(values[0]));
        return sql.all(query, ...values);
      };
      return work({ ...sql, all });
    });
  find = gatheredFind({ ...connection, lookUp: read }, text, ({ id }: { readonly id: number }) => `item ${id}`);
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await connection.close();
});

describe('gathered reads', () => {
  it('of one turn are one statement, which asks once for each id', async () => {
    expect(await Promise.all([1, 2, 99, 1].map(find))).toEqual(['item 1', 'item 2', null, 'item 1']);
    expect(reads).toEqual(['[1,2,99]']);
  });

  it('that follow each other at once wait for those of the next moment', async () => {
    await find(1);
    const second = find(2);
    await nextTurn();
    const third = find(3);
    vi.runAllTimers();
    expect(await Promise.all([second, third])).toEqual(['item 2', 'item 3']);
    now += 5;
    await find(4);
    expect(reads).toEqual(['[1]', '[2,3]', '[4]']);
  });

  it('see nothing of a read that failed', async () => {
    await connection.close();
    await expect(find(1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await connection.open();
    now += 5;
    expect(await find(1)).toBe('item 1');
  });
});
