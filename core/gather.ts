/**
 * Answers calls that come in one turn of the event loop together: a burst of callers costs a storage few statements. `work` gets
 * each key once, begins after the last of these calls, and what it throws fails all of them.
 *
 * The turn ends with a timer, within a millisecond: what was cut off meanwhile is known to be closed by then. MongoDB's driver
 * waits forever for a socket that was cut in the same turn. `setImmediate` ends it earlier.
 */
export function gathered<Key, Result>(
  work: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Result>>,
  endTurn: (begin: () => void) => unknown = setTimeout,
): (key: Key) => Promise<Result | undefined> {
  let keys = new Set<Key>();
  let next: Promise<ReadonlyMap<Key, Result>> | undefined;
  return async (key) => {
    keys.add(key);
    next ??= new Promise<void>((resolve) => endTurn(resolve)).then(() => {
      const all = [...keys];
      keys = new Set();
      next = undefined;
      return work(all);
    });
    return (await next).get(key);
  };
}
