/** Lists of the deliveries of a webhook or a subscriber: all of them, or those that a filter leaves. */
import type { PageRequest } from '../../core/ports/paging.ts';
import type { SubscriberDeliveryFilter } from '../../core/ports/subscriber-store.ts';
import type { Connection } from './database.ts';
import type { OrderedList, Rows } from './pages.ts';
import { type Value, window } from './values.ts';

/** Rows that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;
/** Rows that one turn looks at for the other fields of a filter. */
const WINDOW = 1_000;

export interface FilteredDeliveries {
  readonly list: OrderedList;
  readonly values: readonly Value[];
  /** Nothing is filtered. */
  readonly isWhole: boolean;
  /** Set if several fields are filtered, which no index has together. */
  readonly narrowed: Narrowed | undefined;
}

/** A list that an index has by one field, and the other fields of a filter. */
interface Narrowed {
  /** The last id of the next window: of the owner and the first field, behind an id. None if it is the last window. */
  readonly end: string;
  /** The ids in a window that have the other fields too. */
  readonly matching: string;
  readonly byIds: string;
}

/** Columns of a filter, the one that narrows a list most first. */
const COLUMNS = { event: 'event', status: 'status', brandId: 'brand_id' } as const;

/** Makes the lists of a table, one for each kind of filter: of the deliveries of one owner, newest first. */
export function deliveryLists(select: string, from: string, ownerColumn: 'webhook_id' | 'subscriber') {
  const lists = new Map<string, Pick<FilteredDeliveries, 'list' | 'narrowed'>>();
  const listOf = (columns: readonly string[]) => {
    const where = [ownerColumn, ...columns].map((column) => `${column} = ?`).join(' AND ');
    const made = lists.get(where) ?? {
      list: { select, from, where, order: ['id'], direction: 'DESC' } as const,
      narrowed: columns.length > 1 ? narrowed(select, from, [ownerColumn, ...columns]) : undefined,
    };
    lists.set(where, made);
    return made;
  };
  return (owner: Value, filter: SubscriberDeliveryFilter): FilteredDeliveries => {
    const named = (['event', 'status', 'brandId'] as const).filter((name) => filter[name] !== undefined);
    const values = named.map((name) => filter[name] as Value);
    return { ...listOf(named.map((name) => COLUMNS[name])), values: [owner, ...values], isWhole: named.length === 0 };
  };
}

function narrowed(select: string, from: string, [owner, first, ...others]: readonly string[]): Narrowed {
  const ofFirst = `FROM ${from} WHERE ${owner} = ? AND ${first} = ? AND id < ? ORDER BY id DESC`;
  return {
    end: `SELECT id ${ofFirst} LIMIT 1 OFFSET ${WINDOW - 1}`,
    matching: `SELECT id FROM (SELECT id, ${others.join(', ')} ${ofFirst} LIMIT ${WINDOW})
      WHERE ${others.map((column) => `${column} = ?`).join(' AND ')}`,
    byIds: `${select} WHERE id IN (SELECT value FROM json_each(?))`,
  };
}

/**
 * Reads a page of a list that several fields filter, and its total, in windows. Few rows may match, and a statement would read
 * a million for them. It may be off by what changes meanwhile. @throws RangeError for a page that is no page
 */
export async function readNarrowed<Row extends { readonly id: number }>(
  connection: Pick<Connection, 'lookUp'>,
  { end, matching, byIds }: Narrowed,
  values: readonly Value[],
  page: PageRequest,
): Promise<Rows<Row>> {
  const { limit, offset } = window(page);
  const after = page.after?.id;
  const wanted: number[] = [];
  let [total, passed] = [0, 0];
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
    const from: number = before;
    const { ids, last } = await connection.lookUp((sql) => {
      const behindId = [...values.slice(0, 2), from];
      const found = sql.all<{ readonly id: number }>(matching, ...behindId, ...values.slice(2));
      return {
        ids: found.map(({ id }) => id).sort((one, other) => other - one),
        last: sql.get<{ readonly id: number }>(end, ...behindId)?.id,
      };
    });
    total += ids.length;
    for (const id of ids) {
      const isReached = after === undefined ? passed >= offset : id < after;
      if (isReached && wanted.length < limit) wanted.push(id);
      passed += 1;
    }
    before = last;
  }
  const rows = await connection.lookUp((sql) => sql.all<Row>(byIds, JSON.stringify(wanted)));
  return { rows: rows.sort((one, other) => other.id - one.id), total };
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
