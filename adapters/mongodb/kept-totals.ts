/**
 * How many comments a challenge has, and how many likers a fetch has. The total is kept in the document of the campaign or the
 * fetch, so that no page counts. Without transactions it could drift. So every write is announced there before it begins. When it
 * ends, its count is added in the same update. If a write failed, or its process died, the next reader counts again. A count that
 * was made while a write was taken for dead may hold its documents or not. If such a write ends all the same, the list is counted
 * once more. Its process may also die after it stored them, so the list is counted again an hour later.
 */
import type { Collection, Db, Document, Filter, UpdateFilter } from 'mongodb';
import type { LikersFetch } from '../../core/engagement/challenge-data/comment.ts';
import { keepNewest } from '../../core/keep-newest.ts';
import type { KeptTotal } from './documents.ts';
import type { CountedList, Mark } from './pages.ts';
import { repeatOnClash } from './repeat.ts';

/** A fetch that is neither over nor gone. */
export const UNFINISHED = { status: { $in: ['queued', 'running'] } } satisfies Filter<LikersFetch>;

/** `open` is what an owner fulfils while its list may grow. */
const LISTS = {
  comments: { owners: 'campaigns', ownerId: 'challenge.id', field: 'commentWrites', by: 'challengeId', open: {} },
  likers: { owners: 'likersFetches', ownerId: '_id', field: 'likerWrites', by: 'fetchId', open: UNFINISHED },
} as const;

export type KeptList = keyof typeof LISTS;

/** Shorter lists are counted while they are written to. */
const LONG = 1_000;
/** A write that lasts longer may have died: its documents are counted, though it may end yet. */
const SLOW_MS = 60_000;
/** A write that has not ended for so long belongs to a process that died. */
const DEAD_MS = 3_600_000;
const MAX_LISTS = 100;

/** Of a list that nothing was written to yet. */
export function noWrites(at: Date): KeptTotal {
  return { begun: 0, ended: 0, at, counted: 0, total: 0, counts: 0, isKept: true };
}

/** A write to a list. */
export interface KeptWrite {
  /** Stores, and tells how many items are new as soon as it knows: a write that fails after that counts. */
  store(added: (count: number) => void): Promise<void>;
  /** Removes what was stored in a list whose owner was removed or closed meanwhile. */
  undo(): Promise<void>;
}

/**
 * Stores items and keeps the total. Returns how many are new; 0 if the owner of the list is gone, or its list is closed. Throws
 * what `store` throws.
 */
export async function writeKept(db: Db, list: KeptList, ownerId: number, write: KeptWrite): Promise<number> {
  const counts = await beginWrite(db, list, ownerId);
  if (counts === null) return 0;
  let added: number | null = null;
  let stands = true;
  try {
    await write.store((count) => {
      added = count;
    });
  } finally {
    stands = await endWrite(db, list, ownerId, counts, added, LISTS[list].open);
    if (!stands) {
      await write.undo();
      // Of an owner that still exists the list is counted again.
      await endWrite(db, list, ownerId, counts, null, {});
    }
  }
  return stands ? (added ?? 0) : 0;
}

/** Announces a write. Returns how often the list has been counted; null if its owner is gone, or its list is closed. */
async function beginWrite(db: Db, list: KeptList, ownerId: number): Promise<number | null> {
  const { field, ownerId: id, open } = LISTS[list];
  const announced = { $inc: { [`${field}.begun`]: 1 }, $set: { [`${field}.at`]: new Date() } };
  const projection = { _id: 0, [`${field}.counts`]: 1 };
  const owner = await repeatOnClash(() =>
    ownersOf(db, list).findOneAndUpdate({ [id]: ownerId, ...open }, announced, { projection }),
  );
  return owner && (owner[field]?.counts ?? 0);
}

/**
 * Notes the end of a write; false if the owner of the list is gone, or does not fulfil `condition`.
 * @param counts what `beginWrite` returned
 * @param added null if the write failed, so that nobody knows
 */
async function endWrite(
  db: Db,
  list: KeptList,
  ownerId: number,
  counts: number,
  added: number | null,
  condition: Filter<Document>,
): Promise<boolean> {
  const { field } = LISTS[list];
  const counted = added === null ? {} : { [`${field}.counted`]: 1, [`${field}.total`]: added };
  const sinceBegin = { ...condition, [`${field}.counts`]: sameCount(counts) };
  if (await isUpdated(db, list, ownerId, { $inc: { [`${field}.ended`]: 1, ...counted } }, sinceBegin)) return true;
  // The list was counted meanwhile, with this write as an ended one. A write that counts nothing has the next reader count again.
  return isUpdated(db, list, ownerId, { $inc: { [`${field}.begun`]: 1, [`${field}.ended`]: 1 } }, condition);
}

/** After items were removed while nothing is written. */
export async function noteRemoved(db: Db, list: KeptList, ownerId: number, removed: number): Promise<void> {
  await isUpdated(db, list, ownerId, { $inc: { [`${LISTS[list].field}.total`]: -removed } });
}

async function isUpdated(
  db: Db,
  list: KeptList,
  ownerId: number,
  update: UpdateFilter<Document>,
  condition: Filter<Document> = {},
): Promise<boolean> {
  const owner = { [LISTS[list].ownerId]: ownerId, ...condition };
  const { matchedCount } = await repeatOnClash(() => ownersOf(db, list).updateOne(owner, update));
  return matchedCount === 1;
}

function ownersOf(db: Db, list: KeptList): Collection<Document> {
  return db.collection(LISTS[list].owners);
}

/** The total of a list. What a write under way has stored may count only when it ends, in a long list. */
export async function keptTotal(db: Db, list: KeptList, ownerId: number): Promise<CountedList> {
  const writes = await writesOf(db, list, ownerId);
  if (writes !== null && isKept(writes)) {
    const { begun, ended, total } = writes;
    return begun === ended
      ? { total, part: { within: {}, before: 0, marks: marksOf(db, list, ownerId, begun) } }
      : { total };
  }
  const total = await db.collection(list).countDocuments({ [LISTS[list].by]: ownerId });
  if (writes !== null && areOver(writes)) await keep(db, list, ownerId, writes, total);
  return { total };
}

/**
 * Counts a list to which nobody writes, if a process died while it wrote. Returns whether one ever did, as far as is known: it may
 * only stand still, and continue.
 */
export async function settleWrites(db: Db, list: KeptList, ownerId: number): Promise<boolean> {
  const writes = await writesOf(db, list, ownerId);
  if (writes === null) return false;
  if (writes.begun === writes.ended) return writes.unended === true;
  await keep(db, list, ownerId, writes, await db.collection(list).countDocuments({ [LISTS[list].by]: ownerId }));
  return true;
}

/** Unless something is written meanwhile. */
async function keep(db: Db, list: KeptList, ownerId: number, writes: Writes, total: number): Promise<void> {
  const { field, ownerId: id } = LISTS[list];
  const { begun, ended, counts } = writes;
  const unchanged = {
    [id]: ownerId,
    [`${field}.begun`]: sameCount(begun),
    [`${field}.ended`]: sameCount(ended),
    [`${field}.counts`]: sameCount(counts),
  };
  const { recountAt, ...rest } = writes;
  const kept: KeptTotal = { ...rest, ended: begun, counted: begun, total, counts: counts + 1, isKept: true };
  if (begun !== ended) {
    kept.recountAt = new Date(Date.now() + DEAD_MS);
    kept.unended = true;
  } else if (recountAt !== undefined && !isRecountDue(writes)) kept.recountAt = recountAt;
  await repeatOnClash(() => ownersOf(db, list).updateOne(unchanged, { $set: { [field]: kept } }));
}

/** Lists of earlier releases may lack a field. */
function sameCount(count: number): number | { $in: [0, null] } {
  return count === 0 ? { $in: [0, null] } : count;
}

type Writes = Omit<KeptTotal, 'isKept'> & Pick<Partial<KeptTotal>, 'isKept'>;

/** Null if the owner is gone. */
async function writesOf(db: Db, list: KeptList, ownerId: number): Promise<Writes | null> {
  const { field, ownerId: id } = LISTS[list];
  const found = await ownersOf(db, list).findOne({ [id]: ownerId }, { projection: { _id: 0, [field]: 1 } });
  if (found === null) return null;
  return { begun: 0, ended: 0, at: new Date(0), counted: 0, total: 0, counts: 0, ...found[field] };
}

/** Those of earlier releases count nothing when they end. */
function isKept(writes: Writes): boolean {
  const { begun, ended, at, counted, total, isKept } = writes;
  if (isKept !== true || counted !== ended || isRecountDue(writes)) return false;
  return begun === ended || (total >= LONG && at.getTime() > Date.now() - SLOW_MS);
}

function isRecountDue({ recountAt }: Writes): boolean {
  return recountAt !== undefined && recountAt.getTime() <= Date.now();
}

function areOver({ begun, ended, at }: Writes): boolean {
  return begun === ended || at.getTime() < Date.now() - DEAD_MS;
}

interface Marked {
  readonly writes: number;
  readonly marks: Mark[];
}

const marked = new WeakMap<Db, Map<string, Marked>>();

/** Marks of a list as it is after so many writes. */
function marksOf(db: Db, list: KeptList, ownerId: number, writes: number): Mark[] {
  const lists = marked.get(db) ?? new Map<string, Marked>();
  marked.set(db, lists);
  const key = `${list}:${ownerId}`;
  const known = lists.get(key);
  const current = known?.writes === writes ? known : { writes, marks: [] };
  keepNewest(lists, key, current, MAX_LISTS);
  return current.marks;
}
