import { pieces } from '../../core/bulk.ts';
import type { Connection, Sql } from './database.ts';

/**
 * Writes a bulk, at most `size` items in a write, so that none holds the event loop. The writes share transactions as far as there is
 * time. One that fails undoes no other.
 * @param work writes some of the items
 * @returns the results in the order of the items
 */
export async function writeInPieces<Item, Result>(
  connection: Pick<Connection, 'write'>,
  items: readonly Item[],
  size: number,
  work: (sql: Sql, some: readonly Item[]) => readonly Result[],
): Promise<Result[]> {
  const writes = [...pieces(items, size)].map((some) => connection.write((sql) => work(sql, some)));
  return (await Promise.all(writes)).flat();
}
