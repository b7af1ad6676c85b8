import { atMost } from '../../core/bulk.ts';
import type { StoredLiker } from '../../core/engagement/challenge-data/comment.ts';
import { noSuch } from '../../core/errors.ts';
import { type AuthorKey, foundAmong, numberKey, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { FoundLiker, LikerStore } from '../../core/ports/liker-store.ts';
import { all, type Condition, equals, readPage, when } from './pages.ts';
import { CHALLENGES, LIKERS, LIKERS_FETCHES } from './tables.ts';
import { behind, millis, writeMany } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

/** As the index of them says it. */
const UNFINISHED = "status IN ('queued', 'running')";
/** A deletion of the campaign removes the fetch only later: likers that came in between would stay without it. */
const MAY_GROW = `SELECT 1 FROM likers_fetches WHERE id = ? AND ${UNFINISHED} FOR SHARE`;
const OF_FETCH = 'id = (SELECT challenge_id FROM likers_fetches WHERE id = ?)';
const WAITING = `WHERE ${UNFINISHED} AND requested_at < ? AND (requested_at, id) > (?, ?) ORDER BY requested_at, id LIMIT ?`;
const NEWEST = 'ORDER BY requested_at DESC, id DESC LIMIT 1';

export function createLikerStore(connection: SqlConnection): LikerStore {
  return {
    createFetch: (fetch) =>
      connection.write(function* (sql) {
        const { challengeId } = fetch;
        if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) throw noSuch('challenge', challengeId);
        return yield* LIKERS_FETCHES.insert(sql, fetch);
      }),

    findFetch: (which) =>
      connection.read((sql) => {
        if (typeof which === 'number') return LIKERS_FETCHES.find(sql, 'WHERE id = ?', which);
        const { challengeId, status, requestedBefore: time } = which;
        const { where, values } = all(
          equals({ challenge_id: challengeId, status }),
          time && when('requested_at < ?', millis(time)),
        );
        return LIKERS_FETCHES.find(sql, `WHERE ${where} ${NEWEST}`, ...values);
      }),

    updateFetch: ({ id, challengeId, ...rest }) =>
      connection.write(function* (sql) {
        return (yield* LIKERS_FETCHES.update(sql, rest, `WHERE id = ? AND ${UNFINISHED}`, id)) > 0;
      }),

    unfinished: (before, limit, after) =>
      connection.read(function* (sql) {
        const found = yield* LIKERS_FETCHES.select(sql, WAITING, millis(before), ...behind(after), limit);
        return found.map(({ id, challengeId, requestedAt }) => ({ id, challengeId, since: requestedAt }));
      }),

    async insertNew(fetchId, likers) {
      const inserted = await writeMany(connection, likers, function* (sql, some): Work<StoredLiker[]> {
        if (!(yield* CHALLENGES.holds(sql, OF_FETCH, fetchId))) return [];
        if ((yield* sql.get(MAY_GROW, fetchId)) === undefined) return [];
        const rows = some.map((liker) => ({ ...liker, fetchId, handle: normaliseHandle(liker.username) }));
        return yield* LIKERS.insertNew(sql, rows, '(fetch_id, ig_user_id)');
      });
      return inserted.length;
    },

    page: (fetchId, page) => connection.read((sql) => readPage(sql, LIKERS, 'id', equals({ fetch_id: fetchId }), page)),

    among: (which, accounts) =>
      connection.read((sql) => {
        if ('fetchId' in which) return found(sql, accounts, when('id = ?', which.fetchId));
        return found(sql, accounts, when(SUCCEEDED, which.challengeId, millis(which.since)));
      }),
  };
}

const SUCCEEDED = "challenge_id = ? AND status = 'succeeded' AND coalesce(started_at, requested_at) >= ?";

/** A liker of these fetches for each account that has one. */
function* found(
  sql: Sql,
  accounts: readonly AuthorKey[],
  { where, values }: Condition,
): Work<ReadonlyMap<AuthorKey, FoundLiker>> {
  const by = (column: 'handle' | 'ig_user_id') => `SELECT fetch_id AS "fetchId", ig_user_id AS "igUserId", username
    FROM likers WHERE fetch_id IN (SELECT id FROM likers_fetches WHERE ${where}) AND ${column} IN (?)`;
  const { handles, numbers } = splitKeys(atMost(accounts, 'handles or numbers'));
  const likers = new Map<AuthorKey, FoundLiker>();
  for (const liker of yield* sql.all<FoundLiker>(by('handle'), ...values, new Among(handles))) {
    likers.set(normaliseHandle(liker.username), liker);
  }
  for (const liker of yield* sql.all<FoundLiker>(by('ig_user_id'), ...values, new Among(numbers))) {
    likers.set(numberKey(liker.igUserId), liker);
  }
  return foundAmong(accounts, likers);
}
