/** Lists that several fields filter, of which an index has only some in the order of the list. */
import type { PageRequest } from '../../core/ports/paging.ts';
import type { Connection } from './database.ts';
import { isBefore, type Key, keyOf, type OrderedList, type Rows } from './pages.ts';
import { type Value, window } from './values.ts';

/** Rows that one turn of the event loop looks at for the other fields. */
const WINDOW = 1_000;

/** What a filter asks for besides the list that an index has. */
export interface Narrowing {
  /** Of the list that the index has. */
  readonly values: readonly Value[];
  /** Other columns, and what each must equal, or differ from; none if the index has all. */
  readonly others: readonly (readonly [column: string, value: Value, comparison?: '<>'])[];
  /** The list begins behind it. */
  readonly start?: Key | undefined;
}

/**
 * Reads a page of a list, newest first, and its total in windows. Few rows may match, and a statement would read a million for them.
 * It may be off by what changes meanwhile. @throws RangeError for a page that is no page
 */
export async function readNarrowed<Row extends { readonly id: number }>(
  connection: Pick<Connection, 'lookUp'>,
  list: OrderedList,
  { values, others, start }: Narrowing,
  page: PageRequest,
): Promise<Rows<Row>> {
  const { limit, offset } = window(page);
  const after = page.after && keyOf(list, page.after);
  const { end, matching } = textsOf(list, others);
  const wanted: number[] = [];
  let [total, passed] = [0, 0];
  const first: Key = list.order.map((_, index) => (index === 0 ? Number.MAX_SAFE_INTEGER : 0));
  for (let before: Key | undefined = start ?? first; before !== undefined; ) {
    const behindKey: readonly Value[] = [...values, ...before];
    const { keys, last } = await connection.lookUp((sql) => {
      const found = sql.all<object>(matching, ...behindKey, ...others.map(([, value]) => value));
      const ending = sql.get<object>(end, ...behindKey);
      return {
        keys: found.map((row): Key => Object.values(row)).sort((one, other) => (isBefore(list, one, other) ? -1 : 1)),
        last: ending && (Object.values(ending) as Key),
      };
    });
    total += keys.length;
    for (const key of keys) {
      const isReached = after === undefined ? passed >= offset : isBefore(list, after, key);
      if (isReached && wanted.length < limit) wanted.push(Number(key.at(-1)));
      passed += 1;
    }
    before = last;
  }
  const byIds = `${list.select} WHERE id IN (SELECT value FROM json_each(?))`;
  const rows = await connection.lookUp((sql) => sql.all<Row>(byIds, JSON.stringify(wanted)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { rows: wanted.flatMap((id) => byId.get(id) ?? []), total };
}

interface Texts {
  /** The last key of the next window behind a key. None if it is the last window. */
  readonly end: string;
  /** The keys in a window that have the other fields too. */
  readonly matching: string;
}

function textsOf({ from, where, order }: OrderedList, others: Narrowing['others']): Texts {
  const keys = order.join(', ');
  const behind = `FROM ${from} WHERE ${where} AND (${keys}) < (${order.map(() => '?').join(', ')})
    ORDER BY ${order.map((column) => `${column} DESC`).join(', ')}`;
  return {
    end: `SELECT ${keys} ${behind} LIMIT 1 OFFSET ${WINDOW - 1}`,
    matching: `SELECT ${keys} FROM (SELECT ${[...order, ...others.map(([column]) => column)].join(', ')} ${behind} LIMIT ${WINDOW})
      WHERE ${others.map(([column, , comparison = '=']) => `${column} ${comparison} ?`).join(' AND ')}`,
  };
}
