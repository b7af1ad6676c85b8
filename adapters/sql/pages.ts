/** Pages of lists that an index has in their order, with every column that filters them. */
import { type Page, type PageRequest, type Position, pageWindow } from '../../core/ports/paging.ts';
import type { Table } from './table.ts';
import { millis } from './values.ts';
import type { Sql, Value, Work } from './work.ts';

export interface OrderedList<Item extends object> {
  readonly table: Table<Item>;
  /** What orders the list, unique together: a time or a name and the id, or the id alone. */
  readonly order: readonly [id: string] | readonly [by: string, id: string];
  readonly direction: 'ASC' | 'DESC';
}

/** Which rows of a list, with the values of the placeholders. */
export interface Condition {
  readonly where: string;
  readonly values: readonly Value[];
}

/**
 * Reads a page and the total; all of the list without a request. The ids come first: what is counted and skipped is read in the index alone.
 * @throws RangeError for a page that is no page
 */
export function* readPage<Item extends object>(
  sql: Sql,
  { table, order, direction }: OrderedList<Item>,
  { where, values }: Condition,
  request: PageRequest | undefined,
): Work<Page<Item>> {
  const tail = `ORDER BY ${order.map((column) => `${column} ${direction}`).join(', ')}`;
  if (request === undefined) {
    const items = yield* table.select(sql, `WHERE ${where} ${tail}`, ...values);
    return { items, total: items.length };
  }
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const id = order.at(-1);
  const beyond = `AND (${order.join(', ')}) ${direction === 'ASC' ? '>' : '<'} (${order.map(() => '?').join(', ')})`;
  const ids = `SELECT ${id} FROM ${table.name} WHERE ${where} ${after === undefined ? '' : beyond} ${tail} LIMIT ? OFFSET ?`;
  const key = after === undefined ? [] : keyOf(order.length, after);
  return {
    items: yield* table.select(
      sql,
      `WHERE ${id} IN (${ids}) ${tail}`,
      ...values,
      ...key,
      limit,
      key.length > 0 ? 0 : skip,
    ),
    total: yield* table.count(sql, where, ...values),
  };
}

/** The values of `order` in an item. */
function keyOf(columns: number, { id, name, at = new Date(Number.NaN) }: Position): readonly Value[] {
  return columns === 1 ? [id] : [name ?? millis(at), id];
}

/** Columns that have to equal the given values; undefined ones are not asked for. */
export function equals(columns: Readonly<Record<string, Value | undefined>>): Condition {
  const given = Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [[column, value] as const],
  );
  return {
    where: given.map(([column]) => `${column} = ?`).join(' AND ') || 'TRUE',
    values: given.map(([, value]) => value),
  };
}
