/** Pages of lists that an index has in their order, with every column that filters them. */
import { type Page, type PageRequest, type Position, pageWindow } from '../../core/ports/paging.ts';
import type { Table } from './table.ts';
import { integer, millis } from './values.ts';
import type { Sql, Value, Work } from './work.ts';

/** Which rows of a list, with the values of the placeholders. */
export interface Condition {
  readonly where: string;
  readonly values: readonly Value[];
}

/**
 * Reads a page and the total; all of the list without a request. The ids come first: what is counted and skipped is read in the index alone.
 * @param order by id, or by another field, a time, a name or a number, and then by id; with a minus sign descending
 * @throws RangeError for a page that is no page
 */
export function* readPage<Item extends object>(
  sql: Sql,
  table: Table<Item>,
  order: string,
  { where, values }: Condition,
  request: PageRequest | undefined,
): Work<Page<Item>> {
  const [isDescending, by] = [order.startsWith('-'), order.replace('-', '')];
  const columns = by === 'id' ? ['id'] : [table.columnOf(by), 'id'];
  const tail = `ORDER BY ${columns.map((column) => `${column} ${isDescending ? 'DESC' : 'ASC'}`).join(', ')}`;
  if (request === undefined) {
    const items = yield* table.select(sql, `WHERE ${where} ${tail}`, ...values);
    return { items, total: items.length };
  }
  const { limit, skip } = pageWindow(request);
  const { after } = request;
  const key = after === undefined ? [] : keyOf(by, after);
  const beyond = `AND (${columns.join(', ')}) ${isDescending ? '<' : '>'} (${key.map(() => '?').join(', ')})`;
  const ids = `SELECT id FROM ${table.name} WHERE ${where} ${key.length > 0 ? beyond : ''} ${tail} LIMIT ? OFFSET ?`;
  const window = [...key, limit, key.length > 0 ? 0 : skip];
  return {
    items: yield* table.select(sql, `WHERE id IN (${ids}) ${tail}`, ...values, ...window),
    total: yield* table.count(sql, where, ...values),
  };
}

/** What an item is ordered by. */
function keyOf(by: string, { id, name, by: number, at = new Date(Number.NaN) }: Position): readonly Value[] {
  return by === 'id' ? [id] : [name ?? (number === undefined ? millis(at) : integer(number)), id];
}

/** A condition, with the values of its placeholders. */
export const when = (where: string, ...values: readonly Value[]): Condition => ({ where, values });

/** Rows that meet each of these conditions, without those that are not asked for. */
export function all(...conditions: readonly (Condition | false | undefined)[]): Condition {
  const given = conditions.filter((condition) => condition !== false && condition !== undefined);
  return {
    where: given.map(({ where }) => where).join(' AND ') || 'TRUE',
    values: given.flatMap(({ values }) => values),
  };
}

/** Rows that meet one of these conditions. Each of them finds its index. */
export const any = (...conditions: readonly Condition[]): Condition => ({
  where: conditions.map(({ where }) => `(${where})`).join(' OR '),
  values: conditions.flatMap(({ values }) => values),
});

/** Columns that have to equal the given values; undefined ones are not asked for. */
export function equals(columns: Readonly<Record<string, Value | undefined>>): Condition {
  return all(...Object.entries(columns).map(([column, value]) => value !== undefined && when(`${column} = ?`, value)));
}
