import type { Connection, Sql } from './database.ts';

/** Few enough that the event loop waits for some milliseconds only. */
const MOST = 256;

/**
 * Writes items that come one by one as `writeSoon`; those that wait together are one write and share its fate.
 * @param work writes the items; its results are in their order
 */
export function gatheredWrite<Item, Result>(
  connection: Connection,
  work: (sql: Sql, items: readonly Item[]) => readonly Result[],
): (item: Item) => Promise<Result> {
  let next: { readonly items: Item[]; readonly written: Promise<readonly Result[]> } | undefined;

  function begin(first: Item) {
    const items = [first];
    const isNext = () => next?.items === items;
    const written = connection.writeSoon((sql) => {
      if (isNext()) next = undefined;
      return work(sql, items);
    });
    // A write that never ran, too: what comes later does not join it.
    const forget = () => {
      if (isNext()) next = undefined;
    };
    written.then(forget, forget);
    return { items, written };
  }

  return async (item) => {
    if (next === undefined || next.items.length >= MOST) next = begin(item);
    else next.items.push(item);
    const at = next.items.length - 1;
    const result = (await next.written)[at];
    if (result === undefined) throw new Error('A write that was gathered has no result.');
    return result;
  };
}
