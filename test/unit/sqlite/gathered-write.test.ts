import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, createConnection } from '../../../adapters/sqlite/database.ts';
import { gatheredWrite } from '../../../adapters/sqlite/gathered-write.ts';

let connection: Connection;
let calls: (readonly number[])[];

beforeEach(async () => {
  connection = createConnection({ path: ':memory:', busyTimeoutMs: 1_000 });
  await connection.open();
  calls = [];
});
afterEach(() => connection.close());

const writer = (fails: (items: readonly number[]) => boolean = () => false) =>
  gatheredWrite(connection, (_sql, items: readonly number[]) => {
    calls.push([...items]);
    if (fails(items)) throw new Error('This write fails.');
    return items.map((item) => item * 10);
  });

describe('gathered writes', () => {
  it('are one write, each with its own result, up to a bounded number', async () => {
    const write = writer();
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    expect(await Promise.all(numbers.map(write))).toEqual(numbers.map((item) => item * 10));
    expect(calls.map(({ length }) => length)).toEqual([256, 44]);
    expect(await write(7)).toBe(70);
  });

  it('fail together, and neither another write nor a later one', async () => {
    const write = writer((items) => items.includes(2));
    const other = connection.write(() => 'written');
    const results = await Promise.allSettled([write(1), write(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await other).toBe('written');
    expect(await write(3)).toBe(30);
  });

  it('join no write that never ran', async () => {
    const write = writer();
    await connection.close();
    await expect(write(1)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await connection.open();
    expect(await write(2)).toBe(20);
  });
});
