import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection } from './database.ts';

/**
 * Reads rows by their ids; calls of one turn of the event loop share one statement, and those for one id share its item.
 * @param text selects rows by the ids in a JSON list, its only value
 * @returns a function that answers null for an id that is not there
 */
export function gatheredFind<Row extends { readonly id: number }, Item>(
  connection: Connection,
  text: string,
  toItem: (row: Row) => Item,
): (id: number) => Promise<Item | null> {
  let next: { readonly ids: Set<number>; readonly found: Promise<ReadonlyMap<number, Item>> } | undefined;

  async function read(ids: Set<number>): Promise<ReadonlyMap<number, Item>> {
    // The other calls of this turn, which answers of several receivers may begin.
    await nextTurn();
    next = undefined;
    const rows = await connection.lookUp((sql) => sql.all<Row>(text, JSON.stringify([...ids])));
    return new Map(rows.map((row) => [row.id, toItem(row)]));
  }

  return async (id) => {
    if (next === undefined) {
      const ids = new Set<number>();
      next = { ids, found: read(ids) };
    }
    next.ids.add(id);
    return (await next.found).get(id) ?? null;
  };
}
