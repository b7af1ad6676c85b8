import type { Place } from './documents.ts';

const lines = new WeakMap<Place, Map<string, Promise<unknown>>>();

/**
 * Lets the calls of this process for one key go one after another. No promise of the port rests on it: other processes race
 * all the same, and unique indexes decide. But some engines take a second to untangle writes that meet at a unique index. A dozen
 * that are tried again and again can keep each other from the end for a minute.
 */
export async function oneAtATime<T>(db: Place, key: string, work: () => Promise<T>): Promise<T> {
  const waiting = lines.get(db) ?? new Map<string, Promise<unknown>>();
  lines.set(db, waiting);
  const result = (waiting.get(key) ?? Promise.resolve()).then(work);
  const settled = result.catch(() => undefined);
  waiting.set(key, settled);
  try {
    return await result;
  } finally {
    if (waiting.get(key) === settled) waiting.delete(key);
  }
}
