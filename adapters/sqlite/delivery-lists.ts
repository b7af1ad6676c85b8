/** Lists of the deliveries of a webhook or a subscriber: all of them, or those that a filter leaves. */
import type { SubscriberDeliveryFilter } from '../../core/ports/subscriber-store.ts';
import type { Connection } from './database.ts';
import { type NarrowedList, type NarrowedValues, narrowedList } from './narrowed-list.ts';
import type { OrderedList } from './pages.ts';
import type { Value } from './values.ts';

/** Rows that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;

export interface FilteredDeliveries {
  readonly list: OrderedList;
  readonly values: readonly Value[];
  /** Nothing is filtered. */
  readonly isWhole: boolean;
  /** Set if several fields are filtered, which no index has together: to be read by `readNarrowed`. */
  readonly narrowed: { readonly list: NarrowedList; readonly values: NarrowedValues } | undefined;
}

/** Columns of a filter, the one that narrows a list most first. */
const COLUMNS = { event: 'event', status: 'status', brandId: 'brand_id' } as const;

/** Makes the lists of a table, one for each kind of filter: of the deliveries of one owner, newest first. */
export function deliveryLists(select: string, from: string, ownerColumn: 'webhook_id' | 'subscriber') {
  const lists = new Map<string, { readonly list: OrderedList; readonly narrowed: NarrowedList | undefined }>();
  const listOf = (columns: readonly string[]) => {
    const made = lists.get(columns.join()) ?? make(columns);
    lists.set(columns.join(), made);
    return made;
  };
  const make = (columns: readonly string[]) => {
    const of = (some: readonly string[]): OrderedList => ({
      select,
      from,
      where: [ownerColumn, ...some].map((column) => `${column} = ?`).join(' AND '),
      order: ['id'],
      direction: 'DESC',
    });
    const [first = '', ...others] = columns;
    return { list: of(columns), narrowed: others.length > 0 ? narrowedList(of([first]), others) : undefined };
  };
  return (owner: Value, filter: SubscriberDeliveryFilter): FilteredDeliveries => {
    const named = (['event', 'status', 'brandId'] as const).filter((name) => filter[name] !== undefined);
    const values = [owner, ...named.map((name) => filter[name] as Value)];
    const { list, narrowed } = listOf(named.map((name) => COLUMNS[name]));
    return {
      list,
      values,
      isWhole: named.length === 0,
      narrowed: narrowed && { list: narrowed, values: { list: values.slice(0, 2), others: values.slice(2) } },
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
