import type { Db } from 'mongodb';
import { atMost } from '../../core/bulk.ts';
import { challengeNotFound } from '../../core/engagement/campaigns/find-campaign.ts';
import type { LikersFetch, NewLiker, StoredLiker } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn, numberKey, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { FoundLiker, LikerStore } from '../../core/ports/liker-store.ts';
import { challengeStands } from './attempt-gate.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type FetchDocument, type LikerDocument, type Stored, withId } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { keptTotal, noWrites, settleWrites, UNFINISHED, writeKept } from './kept-totals.ts';
import { readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { checked, chunks, instant, integer, text, texts } from './values.ts';
import { waitingIn } from './waiting.ts';

/** Most accounts in one call of `among`. */
const MAX_ACCOUNTS = 1_000;

function toLiker({ _id, handle, shared, kept, ...rest }: LikerDocument): StoredLiker {
  return { id: _id, ...rest };
}

function toFetch(document: FetchDocument | null): LikersFetch | null {
  if (document === null) return null;
  const { likerWrites, ...fetch } = document;
  return withId(fetch);
}

export function createLikerStore(connection: Connection): LikerStore {
  return {
    createFetch: (fetch) =>
      connection.run(async (db) => {
        const document: Stored<LikersFetch> = {
          _id: await reserveIds(db, 'likersFetches'),
          challengeId: integer(fetch.challengeId),
          ...changing(fetch),
        };
        const likerWrites = noWrites(fetch.requestedAt);
        const fetches = collection(db, 'likersFetches');
        await fetches.insertOne(checked({ ...document, likerWrites }));
        // The purge of a campaign that is deleted meanwhile may have looked for fetches before.
        if (await challengeStands(db, document.challengeId)) return withId(document);
        await fetches.deleteOne({ _id: document._id });
        throw challengeNotFound(fetch.challengeId);
      }),

    findFetch: (id) =>
      connection.run(async (db) => {
        const found = await collection(db, 'likersFetches').findOne({ _id: integer(id) });
        await removeLate(db, found);
        return toFetch(found);
      }),

    latestFetch: (challengeId) =>
      connection.run(async (db) =>
        toFetch(
          await collection(db, 'likersFetches').findOne(
            { challengeId: integer(challengeId) },
            { sort: { requestedAt: -1, _id: -1 } },
          ),
        ),
      ),

    latestCompleted: (challengeId) =>
      connection.run(async (db) => {
        const found = await collection(db, 'likersFetches').findOne(
          { challengeId: integer(challengeId), status: 'succeeded' },
          { sort: { requestedAt: -1, _id: -1 } },
        );
        await removeLate(db, found);
        return toFetch(found);
      }),

    updateFetch: (fetch) =>
      connection.run(async (db) => {
        const changes = checked(changing(fetch));
        const target = { _id: integer(fetch.id), ...UNFINISHED };
        const fetches = collection(db, 'likersFetches');
        // A run begins or ends: a write that has not ended is of one that died, or that will count again when it ends.
        const mayComeLate = await settleWrites(db, 'likers', fetch.id);
        const closes = mayComeLate && isOver(fetch);
        if (closes && (await fetches.findOne(target)) !== null) await keepAll(db, fetch.id);
        const closed = closes ? { 'likerWrites.isClosed': true as const } : {};
        const { matchedCount } = await fetches.updateOne(target, { $set: { ...changes, ...closed } });
        return matchedCount === 1;
      }),

    unfinished: (before, limit, after) =>
      connection.run(async (db) => {
        const found = await collection(db, 'likersFetches')
          .find({ ...UNFINISHED, ...waitingIn('requestedAt', before, after) })
          .sort({ requestedAt: 1, _id: 1 })
          .limit(integer(limit))
          .project<{ _id: number; challengeId: number; requestedAt: Date }>({ challengeId: 1, requestedAt: 1 })
          .toArray();
        return found.map(({ _id, challengeId, requestedAt }) => ({ id: _id, challengeId, since: requestedAt }));
      }),

    insertNew: (fetchId, likers) =>
      connection.run(async (db) => {
        const own: number[] = [];
        return writeKept(db, 'likers', integer(fetchId), {
          async store(added) {
            let inserted = 0;
            for (const chunk of chunks(likers)) inserted += await insertChunk(db, fetchId, chunk, own);
            added(inserted);
          },
          async undo() {
            const isGone = (await collection(db, 'likersFetches').findOne({ _id: fetchId })) === null;
            const unwanted = isGone ? { fetchId } : { _id: { $in: own }, shared: { $exists: false } };
            await collection(db, 'likers').deleteMany(unwanted);
          },
        });
      }),

    page: (fetchId, page) =>
      connection.run(async (db) => {
        const chosen = { fetchId: integer(fetchId) };
        const counted = () => keptTotal(db, 'likers', fetchId);
        const { items, total } = await readPage(collection(db, 'likers'), chosen, { direction: 1 }, page, { counted });
        return { items: items.map(toLiker), total };
      }),

    among: (fetchId, accounts) =>
      connection.run(async (db) => {
        atMost(accounts, MAX_ACCOUNTS, 'handles or numbers');
        return foundIn(db, [integer(fetchId)], texts(accounts));
      }),

    amongSince: (challengeId, since, accounts) =>
      connection.run(async (db) => {
        atMost(accounts, MAX_ACCOUNTS, 'handles or numbers');
        const from = instant(since);
        const fetches = await collection(db, 'likersFetches')
          .find({ challengeId: integer(challengeId), status: 'succeeded' })
          .toArray();
        const recent = fetches.filter(({ startedAt, requestedAt }) => (startedAt ?? requestedAt) >= from);
        for (const fetch of recent) await removeLate(db, fetch);
        const ids = recent.map(({ _id }) => _id);
        return foundIn(db, ids, texts(accounts));
      }),
  };
}

function isOver({ status }: Pick<LikersFetch, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The likers of a fetch that is about to be over: what a write that was taken for dead stores later is not among them. */
async function keepAll(db: Db, fetchId: number): Promise<void> {
  await repeatOnClash(() => collection(db, 'likers').updateMany({ fetchId }, { $set: { kept: true } }));
}

/** Removes what was stored after the fetch was over, by a process that died before it took it back. */
async function removeLate(db: Db, fetch: FetchDocument | null): Promise<void> {
  if (fetch?.likerWrites?.isClosed !== true) return;
  await collection(db, 'likers').deleteMany({ fetchId: fetch._id, kept: { $exists: false } });
}

/** The first liker for each account that has one. */
async function foundIn(
  db: Db,
  fetchIds: readonly number[],
  accounts: readonly AuthorKey[],
): Promise<ReadonlyMap<AuthorKey, FoundLiker>> {
  const { handles, numbers } = splitKeys(accounts);
  const ways = [{ handle: { $in: handles.map(normaliseHandle) } }, { igUserId: { $in: [...numbers] } }].slice(
    handles.length === 0 ? 1 : 0,
    numbers.length === 0 ? 1 : 2,
  );
  const likers = await Promise.all(
    ways.map((way) =>
      collection(db, 'likers')
        .find({ fetchId: { $in: [...fetchIds] }, ...way })
        .project<Pick<LikerDocument, '_id' | 'fetchId' | 'handle' | 'igUserId' | 'username'>>({
          fetchId: 1,
          handle: 1,
          igUserId: 1,
          username: 1,
        })
        .toArray(),
    ),
  );
  const found = new Map<AuthorKey, FoundLiker>();
  for (const { _id, handle, ...liker } of likers.flat().sort((a, b) => b._id - a._id)) {
    found.set(handle, liker);
    found.set(numberKey(liker.igUserId), liker);
  }
  return new Map(
    accounts.flatMap((account) => {
      const liker = found.get(numberIn(account) === null ? normaliseHandle(account) : account);
      return liker === undefined ? [] : [[account, liker] as const];
    }),
  );
}

function changing(fetch: Omit<LikersFetch, 'id'>) {
  return {
    status: fetch.status,
    maxCount: fetch.maxCount,
    fetchedCount: fetch.fetchedCount,
    totalLikes: fetch.totalLikes,
    errorMessage: fetch.errorMessage,
    warning: fetch.warning,
    requestedAt: fetch.requestedAt,
    startedAt: fetch.startedAt,
    finishedAt: fetch.finishedAt,
  };
}

/** Adds the ids of its documents to `own`. */
async function insertChunk(db: Db, fetchId: number, likers: readonly NewLiker[], own: number[]): Promise<number> {
  if (likers.length === 0) return 0;
  const firstId = await reserveIds(db, 'likers', likers.length);
  const documents = likers.map(
    (liker, index): LikerDocument => ({
      _id: firstId + index,
      fetchId,
      igUserId: text(liker.igUserId),
      username: liker.username,
      handle: normaliseHandle(liker.username),
      fullName: liker.fullName,
      isPrivate: liker.isPrivate,
      isVerified: liker.isVerified,
      profilePicUrl: liker.profilePicUrl,
    }),
  );
  own.push(...documents.map(({ _id }) => _id));
  const inserted = await insertMissing(db, 'likers', documents, ['fetchId', 'igUserId']);
  const others = documents.filter(({ _id }) => !inserted.has(_id)).map(({ igUserId }) => igUserId);
  // The fetch may be concluded with them: the call that inserted them must not remove them if it ends after that.
  if (others.length > 0) {
    const found = { fetchId, igUserId: { $in: others } };
    await repeatOnClash(() => collection(db, 'likers').updateMany(found, { $set: { shared: true } }));
  }
  return inserted.size;
}
