/** Lists that are asked for as a whole, however long they are. */
import type { Connection, Sql } from './database.ts';

/** Rows that one turn of the event loop reads: about a millisecond. */
const PIECE = 500;

/**
 * Reads a list to its end, and lets the event loop turn in between. It may be off by what changes meanwhile.
 * @param next reads at most so many items behind one, in the order of an index
 */
export async function readWhole<Item>(
  connection: Pick<Connection, 'lookUp'>,
  next: (sql: Sql, after: Item | undefined, limit: number) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const piece = await connection.lookUp((sql) => next(sql, items.at(-1), PIECE));
    items.push(...piece);
    if (piece.length < PIECE) return items;
  }
}
