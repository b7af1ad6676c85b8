import type { Connection } from './database.ts';

/**
 * Reads rows by their ids; calls of one turn of the event loop share one statement.
 * @param text selects rows by the ids in a JSON list, its only value
 * @returns a function that answers null for an id that is not there
 */
export function gatheredFind<Row extends { readonly id: number }, Item>(
  connection: Connection,
  text: string,
  toItem: (row: Row) => Item,
): (id: number) => Promise<Item | null> {
  let next: { readonly ids: Set<number>; readonly found: Promise<ReadonlyMap<number, Row>> } | undefined;

  async function read(ids: Set<number>): Promise<ReadonlyMap<number, Row>> {
    // The other calls of this turn.
    await Promise.resolve();
    next = undefined;
    const rows = await connection.lookUp((sql) => sql.all<Row>(text, JSON.stringify([...ids])));
    return new Map(rows.map((row) => [row.id, row]));
  }

  return async (id) => {
    if (next === undefined) {
      const ids = new Set<number>();
      next = { ids, found: read(ids) };
    }
    next.ids.add(id);
    const row = (await next.found).get(id);
    return row === undefined ? null : toItem(row);
  };
}
