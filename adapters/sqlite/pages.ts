/**
 * Pages of long lists. `OFFSET` walks over all that it skips, in one turn of the event loop. Here a page far behind is reached
 * in pieces, and where the pieces begin is remembered as long as the list stays the same.
 */
import { keepNewest } from '../../core/keep-newest.ts';
import type { PageRequest, Position } from '../../core/ports/paging.ts';
import type { Connection } from './database.ts';
import type { ListTotal } from './list-totals.ts';
import type { Sql } from './statements.ts';
import { millis, type Value, window } from './values.ts';

/** Rows that are skipped in one turn, some tenths of a millisecond: positions are remembered so far apart. */
const PIECE = 2_000;
/** Lists whose positions are remembered, those asked for last. */
const MAX_LISTS = 100;

/** A list that an index has in its order. */
export interface OrderedList {
  /** `SELECT … FROM …` of the items. */
  readonly select: string;
  /** The table alone, with its alias if `select` has one. */
  readonly from: string;
  /** Which rows; its values are those of the call. */
  readonly where: string;
  /** What orders the list, unique together: a time and the id, or the id alone. */
  readonly order: readonly [string] | readonly [string, string];
  readonly direction: 'ASC' | 'DESC';
}

export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** The values of `order` in one row. */
export type Key = readonly Value[];

export interface ReadOptions {
  /** Values of the placeholders in `select`. */
  readonly selectValues?: readonly Value[];
  /** The list begins behind these values of `order`. */
  readonly start?: Key | undefined;
}

export interface Pages {
  /**
   * A page and the total. On lists that change while a page far behind is looked for, it may be off by what was added or removed.
   * @throws RangeError for a page that is no page
   */
  read<Row>(
    list: OrderedList,
    values: readonly Value[],
    request: PageRequest,
    totalOf: (sql: Sql) => ListTotal,
    options?: ReadOptions,
  ): Promise<Rows<Row>>;
}

interface Positions {
  readonly changes: number;
  /** The last row of the first `PIECE` rows, of the first two times as many … */
  readonly keys: Key[];
}

/** The total of a table that nothing is ever removed from, so that it tells, too, whether the list has changed. */
export function everyRow(table: 'brands' | 'tokens'): (sql: Sql) => ListTotal {
  return (sql) => {
    const { total } = sql.get<{ readonly total: number }>(`SELECT count(*) AS total FROM ${table}`) ?? { total: 0 };
    return { total, changes: total };
  };
}

export function createPages(connection: Pick<Connection, 'read'>, piece = PIECE): Pages {
  const known = new Map<string, Positions>();

  function positionsOf(name: string, changes: number): Positions {
    const found = known.get(name);
    const positions = found?.changes === changes ? found : { changes, keys: [] };
    keepNewest(known, name, positions, MAX_LISTS);
    return positions;
  }

  return {
    async read<Row>(
      list: OrderedList,
      values: readonly Value[],
      request: PageRequest,
      totalOf: (sql: Sql) => ListTotal,
      { selectValues = [], start }: ReadOptions = {},
    ): Promise<Rows<Row>> {
      const { limit, offset } = window(request);
      const texts = textsOf(list);
      const rowsAfter = (sql: Sql, key: Key | undefined, skipped: number) => {
        const of = [...selectValues, ...values, ...(key ?? []), limit, skipped];
        return sql.all<Row>(key === undefined ? texts.first : texts.after, ...of);
      };
      const { after } = request;
      if (after !== undefined) {
        const given = keyOf(list, after);
        const key = start !== undefined && isBefore(list, given, start) ? start : given;
        return connection.read((sql) => ({ rows: rowsAfter(sql, key, 0), total: totalOf(sql).total }));
      }
      for (let positions: Positions | undefined; ; ) {
        const found = await connection.read((sql): Rows<Row> | null => {
          const { total, changes } = totalOf(sql);
          if (offset >= total) return { rows: [], total };
          // Kept to the end also if the list changes meanwhile, or a busy list would never let it arrive.
          if (offset < piece) return { rows: rowsAfter(sql, start, offset), total };
          positions ??= positionsOf(JSON.stringify([texts.skipFirst, values, start]), changes);
          const { keys } = positions;
          const passed = Math.min(Math.floor(offset / piece), keys.length);
          const rest = offset - passed * piece;
          const key = keys[passed - 1] ?? start;
          if (rest < piece) return { rows: rowsAfter(sql, key, rest), total };
          const next = sql.get<object>(
            key === undefined ? texts.skipFirst : texts.skipAfter,
            ...values,
            ...(key ?? []),
            piece - 1,
          );
          if (next === undefined) return { rows: [], total };
          keys[passed] = Object.values(next) as Value[];
          return null;
        });
        if (found !== null) return found;
      }
    },
  };
}

/** The key of an item of the list. */
export function keyOf({ order }: OrderedList, { id, at = new Date(Number.NaN) }: Position): Key {
  return order.length === 1 ? [id] : [millis(at), id];
}

/** Whether a row with the first key comes before one with the second. */
export function isBefore({ direction }: OrderedList, one: Key, other: Key): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  const [a, b] = [Number(one[at]), Number(other[at])];
  return at >= 0 && (direction === 'ASC' ? a < b : a > b);
}

interface Texts {
  readonly first: string;
  readonly after: string;
  readonly skipFirst: string;
  readonly skipAfter: string;
}

const written = new WeakMap<OrderedList, Texts>();

function textsOf(list: OrderedList): Texts {
  let texts = written.get(list);
  if (texts === undefined) {
    const { select, from, where, order, direction } = list;
    const keys = order.join(', ');
    const beyond = `(${keys}) ${direction === 'ASC' ? '>' : '<'} (${order.map(() => '?').join(', ')})`;
    const tail = `ORDER BY ${order.map((column) => `${column} ${direction}`).join(', ')}`;
    texts = {
      first: `${select} WHERE ${where} ${tail} LIMIT ? OFFSET ?`,
      after: `${select} WHERE ${where} AND ${beyond} ${tail} LIMIT ? OFFSET ?`,
      skipFirst: `SELECT ${keys} FROM ${from} WHERE ${where} ${tail} LIMIT 1 OFFSET ?`,
      skipAfter: `SELECT ${keys} FROM ${from} WHERE ${where} AND ${beyond} ${tail} LIMIT 1 OFFSET ?`,
    };
    written.set(list, texts);
  }
  return texts;
}
