import type { Connection } from './database.ts';

/** No longer than a message takes to another process, whose writes are not seen meanwhile. */
const KEPT_MS = 10;

/**
 * Reads items by their ids, and gives the same item again for a moment. Whatever this process commits ends the moment.
 * @param isKept whether an item may be given again
 */
export function keptBriefly<Item>(
  connection: Pick<Connection, 'commits'>,
  find: (id: number) => Promise<Item | null>,
  isKept: (item: Item) => boolean,
): (id: number) => Promise<Item | null> {
  const kept = new Map<number, Item>();
  let commits = 0;
  let until = 0;

  return async (id) => {
    const now = performance.now();
    if (connection.commits() !== commits || now >= until) {
      kept.clear();
      commits = connection.commits();
      until = now + KEPT_MS;
    }
    const known = kept.get(id);
    if (known !== undefined) return known;
    const item = await find(id);
    // What was read before a commit, or came late, is not kept.
    if (item !== null && connection.commits() === commits && performance.now() < until && isKept(item))
      kept.set(id, item);
    return item;
  };
}
