import type { Db, Filter } from 'mongodb';
import { atMost } from '../../core/bulk.ts';
import { challengeNotFound } from '../../core/engagement/campaigns/find-campaign.ts';
import type { LikersFetch, NewLiker, StoredLiker } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn, numberKey, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { FoundLiker, LikerStore } from '../../core/ports/liker-store.ts';
import { challengeStands } from './attempt-gate.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { collection, type LikerDocument, type Stored, withId } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage, waitingIn } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { checked, chunks, instant, integer, text, texts } from './values.ts';

/** Most accounts in one call of `among`. */
const MAX_ACCOUNTS = 1_000;

/** A fetch that is neither over nor gone. */
const UNFINISHED = { status: { $in: ['queued', 'running'] } } satisfies Filter<LikersFetch>;

function toLiker({ _id, handle, shared, ...rest }: LikerDocument): StoredLiker {
  return { id: _id, ...rest };
}

function toFetch(document: Stored<LikersFetch> | null): LikersFetch | null {
  return document === null ? null : withId(document);
}

export function createLikerStore(connection: Connection): LikerStore {
  return {
    createFetch: (fetch) =>
      connection.run(async (db) => {
        const document = { _id: await reserveIds(db, 'likersFetches'), ...fetch };
        const fetches = collection(db, 'likersFetches');
        await fetches.insertOne(checked(document));
        // The purge of a campaign that is deleted meanwhile may have looked for fetches before.
        if (await challengeStands(db, integer(fetch.challengeId))) return withId(document);
        await fetches.deleteOne({ _id: document._id });
        throw challengeNotFound(fetch.challengeId);
      }),

    findFetch: (which) =>
      connection.run(async (db) => {
        const fetches = collection(db, 'likersFetches');
        if (typeof which === 'number') return toFetch(await fetches.findOne({ _id: integer(which) }));
        const { challengeId, status } = which;
        const chosen = {
          challengeId: integer(challengeId),
          ...(status === undefined ? {} : { status: { $eq: status } }),
        };
        return toFetch(await fetches.findOne(chosen, { sort: { requestedAt: -1, _id: -1 } }));
      }),

    updateFetch: ({ id, challengeId, ...fetch }) =>
      connection.run(async (db) => {
        const changes = { $set: checked(fetch) };
        const target = { _id: integer(id), ...UNFINISHED };
        const { matchedCount } = await collection(db, 'likersFetches').updateOne(target, changes);
        return matchedCount === 1;
      }),

    unfinished: (before, limit, after) =>
      connection.run(async (db) => {
        const found = await collection(db, 'likersFetches')
          .find({ ...UNFINISHED, ...waitingIn('requestedAt', { $lt: instant(before) }, after) })
          .sort({ requestedAt: 1, _id: 1 })
          .limit(integer(limit))
          .project<{ _id: number; challengeId: number; requestedAt: Date }>({ challengeId: 1, requestedAt: 1 })
          .toArray();
        return found.map(({ _id, challengeId, requestedAt }) => ({ id: _id, challengeId, since: requestedAt }));
      }),

    insertNew: (fetchId, likers) =>
      connection.run(async (db) => {
        const fetches = collection(db, 'likersFetches');
        const isOpen = async () => (await fetches.findOne({ _id: integer(fetchId), ...UNFINISHED })) !== null;
        if (!(await isOpen())) return 0;
        const own: number[] = [];
        for (const chunk of chunks(likers)) own.push(...(await insertChunk(db, fetchId, chunk)));
        if (await isOpen()) return own.length;
        const isGone = (await fetches.findOne({ _id: fetchId })) === null;
        await collection(db, 'likers').deleteMany(
          isGone ? { fetchId } : { _id: { $in: own }, shared: { $exists: false } },
        );
        return 0;
      }),

    page: (fetchId, page) =>
      connection.run(async (db) => {
        const chosen = { fetchId: integer(fetchId) };
        const { items, total } = await readPage(collection(db, 'likers'), chosen, { direction: 1 }, page);
        return { items: items.map(toLiker), total };
      }),

    among: (which, accounts) =>
      connection.run(async (db) => {
        const sought = texts(atMost(accounts, MAX_ACCOUNTS, 'handles or numbers'));
        if ('fetchId' in which) return foundIn(db, [integer(which.fetchId)], sought);
        const from = instant(which.since);
        const fetches = await collection(db, 'likersFetches')
          .find({ challengeId: integer(which.challengeId), status: 'succeeded' })
          .toArray();
        const recent = fetches.filter(({ startedAt, requestedAt }) => (startedAt ?? requestedAt) >= from);
        return foundIn(
          db,
          recent.map(({ _id }) => _id),
          sought,
        );
      }),
  };
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

/** Returns the ids of those that are new to the fetch. */
async function insertChunk(db: Db, fetchId: number, likers: readonly NewLiker[]): Promise<ReadonlySet<number>> {
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
  const inserted = await insertMissing(db, 'likers', documents, ['fetchId', 'igUserId']);
  const others = documents.filter(({ _id }) => !inserted.has(_id)).map(({ igUserId }) => igUserId);
  // The fetch may be concluded with them: the call that inserted them must not remove them if it ends after that.
  if (others.length > 0) {
    const found = { fetchId, igUserId: { $in: others } };
    await repeatOnClash(() => collection(db, 'likers').updateMany(found, { $set: { shared: true } }));
  }
  return inserted;
}
