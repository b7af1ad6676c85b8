import type { Connection } from './database.ts';

/** No longer than a message takes to another process, whose writes are not seen meanwhile. */
const KEPT_MS = 10;

interface Moment<Item> {
  readonly commits: number;
  /** In milliseconds of `performance.now()`. */
  readonly until: number;
  readonly items: Map<number, Item>;
}

/**
 * Reads items by their ids, and gives the same item again for a moment. Whatever this process commits ends the moment.
 * @param isKept whether an item may be given again
 */
export function keptBriefly<Item>(
  connection: Pick<Connection, 'commits'>,
  find: (id: number) => Promise<Item | null>,
  isKept: (item: Item) => boolean,
): (id: number) => Promise<Item | null> {
  let moment: Moment<Item> = { commits: 0, until: 0, items: new Map() };

  return async (id) => {
    const now = performance.now();
    if (connection.commits() !== moment.commits || now >= moment.until)
      moment = { commits: connection.commits(), until: now + KEPT_MS, items: new Map() };
    const { commits, items } = moment;
    const known = items.get(id);
    if (known !== undefined) return known;
    const item = await find(id);
    // What may have been read before a commit is not kept, also if another moment has begun since.
    if (item !== null && connection.commits() === commits && isKept(item)) items.set(id, item);
    return item;
  };
}
