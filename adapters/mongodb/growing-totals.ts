/**
 * Totals of long lists to which documents are only added. The server counts an index entry by entry, for each page again. So a
 * process remembers for a while how many old documents there are, and has the later ones counted only.
 */
import type { Db } from 'mongodb';
import { keepNewest } from '../../core/keep-newest.ts';

type Growing = 'attempts' | 'deliveries' | 'subscriberDeliveries';

interface Numbered {
  readonly _id: number;
  readonly createdAt: Date;
}

interface Remembered {
  /** The last of the documents that are counted in `total`. */
  readonly upTo: number;
  readonly total: number;
  readonly until: number;
}

/** Shorter lists are counted faster than the rest is looked up. */
const LONG = 1_000;
/** An id is taken before its document is stored: no document as old as this is still on its way. */
const SETTLED_MS = 120_000;
/** Other processes remove old documents meanwhile. */
const REMEMBERED_MS = 60_000;
const MAX_LISTS = 1_000;

const lists = new WeakMap<Db, Map<string, Remembered>>();

/**
 * Counts the documents of a list. Exact for what is added. What another process removes from a long list may be counted for a
 * minute more.
 * @param chosen fields that never change
 */
export async function countGrowing(db: Db, name: Growing, chosen: object): Promise<number> {
  const documents = db.collection<Numbered>(name);
  const known = lists.get(db) ?? new Map<string, Remembered>();
  lists.set(db, known);
  const key = JSON.stringify([name, chosen]);
  const last = known.get(key);
  if (last !== undefined && last.until > Date.now()) {
    return last.total + (await documents.countDocuments({ ...chosen, _id: { $gt: last.upTo } }));
  }
  const total = await documents.countDocuments(chosen);
  if (total < LONG) return total;
  const settled = { ...chosen, createdAt: { $lt: new Date(Date.now() - SETTLED_MS) } };
  const [newest] = await documents
    .find(settled)
    .sort({ _id: -1 })
    .limit(1)
    .project<{ _id: number }>({ _id: 1 })
    .toArray();
  if (newest === undefined) return total;
  const upTo = newest._id;
  const old = await documents.countDocuments({ ...chosen, _id: { $lte: upTo } });
  keepNewest(known, key, { upTo, total: old, until: Date.now() + REMEMBERED_MS }, MAX_LISTS);
  return total;
}

/** After this process has removed documents. */
export function forgetTotals(db: Db): void {
  lists.delete(db);
}
