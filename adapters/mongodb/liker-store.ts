import { atMost } from '../../core/bulk.ts';
import type { NewLiker } from '../../core/engagement/challenge-data/comment.ts';
import { noSuch } from '../../core/errors.ts';
import { type AuthorKey, foundAmong, numberKey, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { FoundLiker, LikerStore } from '../../core/ports/liker-store.ts';
import { challengeStands } from './attempt-gate.ts';
import type { Database } from './items.ts';
import { waitingIn } from './pages.ts';
import { chunks, equals, instant, integer, text } from './values.ts';

/** A fetch that is neither over nor gone. */
const UNFINISHED = { status: { $in: ['queued', 'running'] } } as { status: { $in: ('queued' | 'running')[] } };

export function createLikerStore(db: Database): LikerStore {
  const { likers, likersFetches: fetches } = db;
  return {
    async createFetch(fetch) {
      const stored = await fetches.append(fetch);
      // The purge of a campaign that is deleted meanwhile may have looked for fetches before.
      if (await challengeStands(db, integer(fetch.challengeId))) return stored;
      await fetches.delete({ _id: stored.id });
      throw noSuch('challenge', fetch.challengeId);
    },

    findFetch(which) {
      if (typeof which === 'number') return fetches.find({ _id: integer(which) });
      const { challengeId, status, requestedBefore: time } = which;
      const asked = { ...equals({ challengeId }, { status }), ...(time && { requestedAt: { $lt: instant(time) } }) };
      return fetches.find(asked, { sort: { requestedAt: -1, _id: -1 } });
    },

    updateFetch: ({ id, challengeId, ...fetch }) =>
      fetches.update({ _id: integer(id), ...UNFINISHED }, { $set: fetch }),

    async unfinished(before, limit, after) {
      const waiting = { ...UNFINISHED, ...waitingIn('requestedAt', { $lt: before }, after) };
      const found = await fetches.list(waiting, { sort: { requestedAt: 1, _id: 1 }, limit: integer(limit) });
      return found.map(({ id, challengeId, requestedAt }) => ({ id, challengeId, since: requestedAt }));
    },

    async insertNew(fetchId, given) {
      const isOpen = () => fetches.exists({ _id: integer(fetchId), ...UNFINISHED });
      if (!(await isOpen())) return 0;
      const own: number[] = [];
      for (const chunk of chunks(given)) own.push(...(await insertChunk(db, fetchId, chunk)));
      if (await isOpen()) return own.length;
      const isGone = !(await fetches.exists({ _id: fetchId }));
      await likers.deleteAll(isGone ? { fetchId } : { _id: { $in: own }, shared: { $exists: false } });
      return 0;
    },

    page: (fetchId, page) => likers.page({ fetchId: integer(fetchId) }, 'id', page),

    async among(which, accounts) {
      if ('fetchId' in which) return foundIn(db, [integer(which.fetchId)], accounts);
      const from = instant(which.since);
      const succeeded = await fetches.list({ ...equals({ challengeId: which.challengeId }), status: 'succeeded' });
      const recent = succeeded.filter(({ startedAt, requestedAt }) => (startedAt ?? requestedAt) >= from);
      const ids = recent.map(({ id }) => id);
      return foundIn(db, ids, accounts);
    },
  };
}

/** The first liker for each account that has one. */
async function foundIn(
  { likers }: Database,
  fetchIds: readonly number[],
  accounts: readonly AuthorKey[],
): Promise<ReadonlyMap<AuthorKey, FoundLiker>> {
  const { handles, numbers } = splitKeys(atMost(accounts, 'handles or numbers'));
  const ways = [
    ...(handles.length > 0 ? [{ handle: { $in: [...handles] } }] : []),
    ...(numbers.length > 0 ? [{ igUserId: { $in: [...numbers] } }] : []),
  ];
  const projection = { fetchId: 1, handle: 1, igUserId: 1, username: 1 };
  const read = ways.map((way) =>
    likers.raw.find({ fetchId: { $in: [...fetchIds] }, ...way }, { projection }).toArray(),
  );
  const found = new Map<AuthorKey, FoundLiker>();
  const newestFirst = (await Promise.all(read)).flat().sort((a, b) => b._id - a._id);
  for (const { handle, fetchId, igUserId, username } of newestFirst) {
    found.set(handle, { fetchId, igUserId, username });
    found.set(numberKey(igUserId), { fetchId, igUserId, username });
  }
  return foundAmong(accounts, found);
}

/** Returns the ids of those that are new to the fetch. */
async function insertChunk({ likers }: Database, fetchId: number, given: readonly NewLiker[]): Promise<number[]> {
  const documents = given.map((liker) => {
    return { ...liker, igUserId: text(liker.igUserId), fetchId, handle: normaliseHandle(liker.username) };
  });
  const inserted = await likers.insertNew(documents);
  const own = new Set(inserted.map(({ igUserId }) => igUserId));
  const others = documents.map(({ igUserId }) => igUserId).filter((igUserId) => !own.has(igUserId));
  // The fetch may be concluded with them: the call that inserted them must not remove them if it ends after that.
  if (others.length > 0) await likers.updateAll({ fetchId, igUserId: { $in: others } }, { $set: { shared: true } });
  return inserted.map(({ _id }) => _id);
}
