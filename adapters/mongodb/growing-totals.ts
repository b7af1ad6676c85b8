/**
 * Totals of long lists to which documents are mostly added. The server counts an index entry by entry, for each page again. So a
 * process remembers how many old documents there are, and has the later ones counted only. What is removed, here or by other
 * processes, is announced in the collection `counters`.
 */
import type { Collection, Db } from 'mongodb';
import { keepNewest } from '../../core/keep-newest.ts';
import { collection } from './documents.ts';
import type { CountedList, Mark } from './pages.ts';
import { repeatOnClash } from './repeat.ts';

interface Time {
  /** When a document began to count. */
  readonly field: string;
  /** An index of the whole collection begins with it. */
  readonly isIndexed?: true;
}

const TIMES = {
  attempts: { field: 'createdAt' },
  auditLog: { field: 'at', isIndexed: true },
  campaigns: { field: 'createdAt' },
  deliveries: { field: 'createdAt' },
  socialAccounts: { field: 'connectedAt' },
  subscriberDeliveries: { field: 'createdAt' },
} as const satisfies Readonly<Record<string, Time>>;

export type GrowingList = keyof typeof TIMES;

interface Numbered {
  readonly _id: number;
}

interface Remembered {
  /** The last of the documents that are counted in `total`. */
  upTo: number;
  total: number;
  /** `removalsFrom` as it was before they were counted. */
  readonly removals: number;
  /** When to look for removals by other processes, and to count what has settled since to the old ones. */
  until: number;
  /** When to count all again: a process that stood still may have stored an old document after it was counted. */
  readonly last: number;
  /** Of pages of the documents up to `upTo`. */
  marks: Mark[];
  /** Later documents when the marks were made. */
  later: number;
}

/** Shorter lists are counted faster than the rest is looked up. */
const LONG = 1_000;
/** An id is taken before its document is stored. A document as old as this is still on its way only if its process stood still. */
const SETTLED_MS = 120_000;
const REMEMBERED_MS = 60_000;
const RECOUNTED_MS = 3_600_000;
const MAX_LISTS = 1_000;

const remembered = new WeakMap<Db, Map<GrowingList, Map<string, Remembered>>>();

/** How pages are ordered: by descending id, by ascending id, or by something else. */
export type GrowingOrder = 'newest first' | 'oldest first' | 'other';

/**
 * Counts the documents of a list. Exact for what is added. What another process removes from a long list may be counted for a
 * minute more. What one stores two minutes after it took the id may be missing for an hour.
 * @param chosen fields that never change, but for changes that `forgetTotals` is told of
 */
export async function countGrowing(
  db: Db,
  name: GrowingList,
  chosen: object,
  order: GrowingOrder,
): Promise<CountedList> {
  const lists = listsOf(db, name);
  const key = JSON.stringify(chosen);
  const last = lists.get(key);
  const list = last !== undefined && (await isStillTrue(db, name, chosen, order, last)) ? last : undefined;
  const known = list ?? (await countOld(db, name, chosen));
  if (typeof known === 'number') {
    lists.delete(key);
    return { total: known };
  }
  keepNewest(lists, key, known, MAX_LISTS);
  // Read now: another call may move them on meanwhile.
  const { upTo, total } = known;
  const later = await db.collection<Numbered>(name).countDocuments({ ...chosen, _id: { $gt: upTo } });
  const all = { total: total + later };
  if (known.upTo !== upTo) return all;
  const { marks } = known;
  if (order === 'newest first') return { ...all, part: { within: { _id: { $lte: upTo } }, before: later, marks } };
  if (order === 'oldest first' || known.later === later) return { ...all, part: { within: {}, before: 0, marks } };
  Object.assign(known, { marks: [], later });
  return { ...all, part: { within: {}, before: 0, marks: known.marks } };
}

/** After documents were removed from lists of a collection, or changed in a way that takes them out or puts them back. */
export async function forgetTotals(db: Db, name: GrowingList): Promise<void> {
  remembered.get(db)?.delete(name);
  const removals = { $inc: { value: 1 } };
  await repeatOnClash(() => collection(db, 'counters').updateOne({ _id: counterOf(name) }, removals, { upsert: true }));
}

function counterOf(name: GrowingList) {
  return `removals:${name}` as const;
}

async function removalsFrom(db: Db, name: GrowingList): Promise<number> {
  const counter = await collection(db, 'counters').findOne({ _id: counterOf(name) });
  return counter?.value ?? 0;
}

function listsOf(db: Db, name: GrowingList): Map<string, Remembered> {
  const collections = remembered.get(db) ?? new Map<GrowingList, Map<string, Remembered>>();
  remembered.set(db, collections);
  const lists = collections.get(name) ?? new Map<string, Remembered>();
  collections.set(name, lists);
  return lists;
}

/**
 * Looks once a minute whether documents were removed, and counts those that are settled by now to the old ones. False after
 * an hour.
 */
async function isStillTrue(
  db: Db,
  name: GrowingList,
  chosen: object,
  order: GrowingOrder,
  list: Remembered,
): Promise<boolean> {
  const now = performance.now();
  if (now > list.last) return false;
  if (list.until > now) return true;
  if ((await removalsFrom(db, name)) !== list.removals) return false;
  list.until = now + REMEMBERED_MS;
  const { upTo } = list;
  const documents = db.collection<Numbered>(name);
  const newest = (await newestSettled(documents, name, chosen)) ?? upTo;
  if (newest <= upTo) return true;
  const added = await documents.countDocuments({ ...chosen, _id: { $gt: upTo, $lte: newest } });
  if (list.upTo !== upTo) return true;
  list.upTo = newest;
  list.total += added;
  if (order === 'newest first') list.marks = list.marks.map((mark) => ({ ...mark, skipped: mark.skipped + added }));
  return true;
}

/** A short list's total, or what is to be remembered of a long one. */
async function countOld(db: Db, name: GrowingList, chosen: object): Promise<Remembered | number> {
  const documents = db.collection<Numbered>(name);
  const short = await documents.countDocuments(chosen, { limit: LONG });
  if (short < LONG) return short;
  const removals = await removalsFrom(db, name);
  const upTo = await newestSettled(documents, name, chosen);
  if (upTo === undefined) return documents.countDocuments(chosen);
  const total = await documents.countDocuments({ ...chosen, _id: { $lte: upTo } });
  const now = performance.now();
  return { upTo, total, removals, until: now + REMEMBERED_MS, last: now + RECOUNTED_MS, marks: [], later: 0 };
}

async function newestSettled(
  documents: Collection<Numbered>,
  name: GrowingList,
  chosen: object,
): Promise<number | undefined> {
  const { field, isIndexed }: Time = TIMES[name];
  const settled = { [field]: { $lt: new Date(Date.now() - SETTLED_MS) } };
  const [newest] = await documents
    .find(isIndexed === true ? settled : { ...chosen, ...settled })
    .sort({ ...(isIndexed === true ? { [field]: -1 } : {}), _id: -1 })
    .limit(1)
    .project<Numbered>({ _id: 1 })
    .toArray();
  return newest?._id;
}
