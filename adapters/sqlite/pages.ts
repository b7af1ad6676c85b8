/** Pages of lists that an index has in their order, with every column that filters them. */
import type { PageRequest, Position } from '../../core/ports/paging.ts';
import type { Sql } from './statements.ts';
import { millis, type Value, window } from './values.ts';

export interface OrderedList {
  /** `SELECT … FROM …` of the items. */
  readonly select: string;
  /** The table alone, with its alias if `select` has one. */
  readonly from: string;
  /** Which rows; its values are those of the call. */
  readonly where: string;
  /** What orders the list, unique together: a time and the id, or the id alone. */
  readonly order: readonly [id: string] | readonly [time: string, id: string];
  readonly direction: 'ASC' | 'DESC';
}

export interface Rows<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/**
 * Reads a page and the total. The ids come first: what is counted and skipped is read in the index alone.
 * @param selectValues values of the placeholders in `select`
 * @throws RangeError for a page that is no page
 */
export function readPage<Row>(
  sql: Sql,
  list: OrderedList,
  values: readonly Value[],
  request: PageRequest,
  selectValues: readonly Value[] = [],
): Rows<Row> {
  const { select, from, where, order, direction } = list;
  const { limit, offset } = window(request);
  const { after } = request;
  const id = order.at(-1);
  const beyond = `AND (${order.join(', ')}) ${direction === 'ASC' ? '>' : '<'} (${order.map(() => '?').join(', ')})`;
  const tail = `ORDER BY ${order.map((column) => `${column} ${direction}`).join(', ')}`;
  const ids = `SELECT ${id} FROM ${from} WHERE ${where} ${after === undefined ? '' : beyond} ${tail} LIMIT ? OFFSET ?`;
  const [key, skipped] = after === undefined ? [[], offset] : [keyOf(list, after), 0];
  return {
    rows: sql.all<Row>(`${select} WHERE ${id} IN (${ids}) ${tail}`, ...selectValues, ...values, ...key, limit, skipped),
    total: countRows(sql, list, values),
  };
}

export function countRows(sql: Sql, { from, where }: Pick<OrderedList, 'from' | 'where'>, values: readonly Value[]) {
  return sql.get<{ total: number }>(`SELECT count(*) AS total FROM ${from} WHERE ${where}`, ...values)?.total ?? 0;
}

/** The values of `order` in an item. */
function keyOf({ order }: OrderedList, { id, at = new Date(Number.NaN) }: Position): readonly Value[] {
  return order.length === 1 ? [id] : [millis(at), id];
}
