import type { Db } from 'mongodb';

const lines = new WeakMap<Db, Map<string, Promise<unknown>>>();

/**
 * Lets the calls of this process for one key go one after another. No promise of the port rests on it: other processes race
 * all the same, and unique indexes decide. But a hundred requests for the same new thing then cost one insert and 99 reads.
 * It would cost a hundred inserts that the server has to refuse or, on some engines, to untangle from a deadlock.
 */
export async function oneAtATime<T>(db: Db, key: string, work: () => Promise<T>): Promise<T> {
  const waiting = lines.get(db) ?? new Map<string, Promise<unknown>>();
  lines.set(db, waiting);
  const before = waiting.get(key);
  const result = before === undefined ? work() : before.then(work);
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  waiting.set(key, settled);
  try {
    return await result;
  } finally {
    if (waiting.get(key) === settled) waiting.delete(key);
  }
}
