import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createConnection } from '../../../adapters/sqlite/database.ts';
import type { ListTotal } from '../../../adapters/sqlite/list-totals.ts';
import { createPages, type OrderedList } from '../../../adapters/sqlite/pages.ts';
import type { Sql } from '../../../adapters/sqlite/statements.ts';
import { runs } from '../../support/property-runs.ts';

const PIECE = 10;

interface Row {
  readonly id: number;
}

const list = (direction: 'ASC' | 'DESC'): OrderedList => ({
  select: 'SELECT id FROM rows_of_list',
  from: 'rows_of_list',
  where: 'owner = ?',
  order: ['at', 'id'],
  direction,
});
const LISTS = { ASC: list('ASC'), DESC: list('DESC') };

describe('pages of a long list', () => {
  const connection = createConnection({ path: ':memory:', busyTimeoutMs: 1_000 });
  let reads = 0;
  let skipped = 0;
  const counting = {
    read: <T>(work: (sql: Sql) => T) => {
      reads += 1;
      return connection.read((sql) =>
        work({
          ...sql,
          get: <R>(text: string, ...values: readonly (string | number | null)[]) => {
            if (/OFFSET/.test(text)) skipped = Math.max(skipped, Number(values.at(-1)));
            return sql.get<R>(text, ...values);
          },
          all: <R>(text: string, ...values: readonly (string | number | null)[]) => {
            skipped = Math.max(skipped, Number(values.at(-1)));
            return sql.all<R>(text, ...values);
          },
        }),
      );
    },
  };
  let changes = 0;
  const total = (sql: Sql): ListTotal => ({
    total: sql.get<{ n: number }>('SELECT count(*) AS n FROM rows_of_list WHERE owner = 1')?.n ?? 0,
    changes,
  });
  const insert = (ats: readonly number[]) =>
    connection.write((sql) => {
      for (const at of ats) sql.run('INSERT INTO rows_of_list (owner, at) VALUES (1, ?)', at);
      changes += ats.length;
    });

  beforeAll(async () => {
    await connection.open();
    await connection.write((sql) => {
      sql.run('CREATE TABLE rows_of_list (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, at INTEGER NOT NULL)');
      sql.run('INSERT INTO rows_of_list (owner, at) VALUES (2, 5)');
    });
    return () => connection.close();
  });

  it('holds what a slice of the whole list holds, whatever was read and added before', async () => {
    const pages = createPages(counting, PIECE);
    const step = fc.record({
      added: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
      direction: fc.constantFrom('ASC' as const, 'DESC' as const),
      page: fc.integer({ min: 1, max: 60 }),
      limit: fc.integer({ min: 1, max: 15 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const { added, direction, page, limit } of steps) {
          await insert(added);
          const all = await connection.read((sql) =>
            sql.all<Row>(`SELECT id FROM rows_of_list WHERE owner = 1 ORDER BY at ${direction}, id ${direction}`),
          );
          const found = await pages.read<Row>(LISTS[direction], [1], { page, limit }, total);
          expect(found).toEqual({ rows: all.slice((page - 1) * limit, page * limit), total: all.length });
        }
      }),
      runs(60),
    );
    expect(skipped).toBeLessThan(PIECE);
  });

  it('walks to a page far behind once, as long as the list stays the same', async () => {
    await insert(Array.from({ length: 10 * PIECE }, (_, at) => at));
    const pages = createPages(counting, PIECE);
    const far = { page: 8, limit: PIECE };
    const readsOf = async () => {
      reads = 0;
      await pages.read<Row>(LISTS.ASC, [1], far, total);
      return reads;
    };
    expect(await readsOf()).toBe(8);
    expect(await readsOf()).toBe(1);
    await insert([3]);
    expect(await readsOf()).toBe(8);
  });

  it('arrives in a list that changes with every step', async () => {
    const pages = createPages(
      {
        read: async (work) => {
          await insert([1]);
          return counting.read(work);
        },
      },
      PIECE,
    );
    const { rows } = await pages.read<Row>(LISTS.ASC, [1], { page: 9, limit: PIECE }, total);
    expect(rows).toHaveLength(PIECE);
  });

  it('skips nothing for a page behind the last one', async () => {
    reads = 0;
    const { rows } = await createPages(counting, PIECE).read<Row>(LISTS.ASC, [1], { page: 9e15, limit: 100 }, total);
    expect([rows, reads]).toEqual([[], 1]);
  });

  it('continues after an item that is gone', async () => {
    const request = { page: 1, limit: 5, after: { id: 1e9, at: new Date(5) } };
    const { rows } = await createPages(counting, PIECE).read<Row>(LISTS.ASC, [1], request, total);
    const expected = await connection.read((sql) =>
      sql.all<Row>('SELECT id FROM rows_of_list WHERE owner = 1 AND at > 5 ORDER BY at, id LIMIT 5'),
    );
    expect(rows).toEqual(expected);
  });
});
