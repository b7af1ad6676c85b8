/** Lists of the deliveries of a webhook or a subscriber: all of them, or those that a filter leaves. */
import type { SubscriberDeliveryFilter } from '../../core/ports/subscriber-store.ts';
import type { Connection } from './database.ts';
import type { Narrowing } from './narrowed-list.ts';
import type { OrderedList } from './pages.ts';
import type { Value } from './values.ts';

/** Rows that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;

/** If there are `others`, they narrow the list: to be read by `readNarrowed`. */
export interface FilteredDeliveries extends Narrowing {
  readonly list: OrderedList;
  /** Nothing is filtered. */
  readonly isWhole: boolean;
}

/** Columns of a filter, the one that narrows a list most first. */
const COLUMNS = { event: 'event', status: 'status', brandId: 'brand_id' } as const;

/** Makes the lists of a table: of the deliveries of one owner, newest first. An index has each with one column of a filter. */
export function deliveryLists(select: string, from: string, ownerColumn: 'webhook_id' | 'subscriber') {
  const lists = new Map<string | undefined, OrderedList>();
  const listOf = (column: string | undefined): OrderedList => {
    const where = [ownerColumn, ...(column === undefined ? [] : [column])].map((each) => `${each} = ?`).join(' AND ');
    const list = lists.get(column) ?? { select, from, where, order: ['id'], direction: 'DESC' };
    lists.set(column, list);
    return list;
  };
  return (owner: Value, filter: SubscriberDeliveryFilter): FilteredDeliveries => {
    const named = (['event', 'status', 'brandId'] as const).flatMap((name) => {
      const value = filter[name];
      return value === undefined ? [] : [[COLUMNS[name], value] as const];
    });
    const [[column, value] = [], ...others] = named;
    return {
      list: listOf(column),
      values: value === undefined ? [owner] : [owner, value],
      others,
      isWhole: named.length === 0,
    };
  };
}

/** Counts the rows of a list in pieces, so that other work is not held up. It may be off by what changes meanwhile. */
export async function countInPieces(
  connection: Pick<Connection, 'lookUp'>,
  { list: { from, where }, values }: FilteredDeliveries,
): Promise<number> {
  const text = `SELECT count(*) AS rows, max(id) AS last
    FROM (SELECT id FROM ${from} WHERE ${where} AND id > ? ORDER BY id LIMIT ${PIECE})`;
  for (let total = 0, after = 0; ; ) {
    const piece = await connection.lookUp((sql) =>
      sql.get<{ readonly rows: number; readonly last: number | null }>(text, ...values, after),
    );
    total += piece?.rows ?? 0;
    if (piece === undefined || piece.last === null || piece.rows < PIECE) return total;
    after = piece.last;
  }
}
