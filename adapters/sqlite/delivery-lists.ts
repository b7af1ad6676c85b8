/** Lists of the deliveries of a webhook or a subscriber: all of them, or those that a filter leaves. */
import type { SubscriberDeliveryFilter } from '../../core/ports/subscriber-store.ts';
import type { Connection } from './database.ts';
import type { OrderedList } from './pages.ts';
import type { Value } from './values.ts';

/** Rows that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;

export interface FilteredDeliveries {
  readonly list: OrderedList;
  readonly values: readonly Value[];
  /** Nothing is filtered. */
  readonly isWhole: boolean;
}

/** Columns of a filter in the order in which they narrow a list. */
const COLUMNS = { brandId: 'brand_id', status: 'status', event: 'event' } as const;

/** Makes the lists of a table, one for each kind of filter: of the deliveries of one owner, newest first. */
export function deliveryLists(select: string, from: string, ownerColumn: 'webhook_id' | 'subscriber') {
  const lists = new Map<string, OrderedList>();
  const listOf = (where: string): OrderedList => {
    const list = lists.get(where) ?? { select, from, where, order: ['id'], direction: 'DESC' };
    lists.set(where, list);
    return list;
  };
  return (owner: Value, filter: SubscriberDeliveryFilter): FilteredDeliveries => {
    const named = (['brandId', 'status', 'event'] as const).filter((name) => filter[name] !== undefined);
    const where = [`${ownerColumn} = ?`, ...named.map((name) => `${COLUMNS[name]} = ?`)].join(' AND ');
    const values = named.map((name) => filter[name] as Value);
    return { list: listOf(where), values: [owner, ...values], isWhole: named.length === 0 };
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
