import { atMost } from '../../core/bulk.ts';
import { challengeNotFound } from '../../core/engagement/campaigns/find-campaign.ts';
import type { LikersFetch, NewLiker, StoredLiker } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { FoundLiker, LikerStore } from '../../core/ports/liker-store.ts';
import type { Connection, Sql } from './database.ts';
import { type OrderedList, readPage } from './pages.ts';
import {
  behind,
  flag,
  millis,
  millisOrNull,
  pageOf,
  toDate,
  toDateOrNull,
  toWaiting,
  type Value,
  type WaitingRow,
} from './values.ts';

const FETCH = `id, challenge_id AS challengeId, status, max_count AS maxCount, fetched_count AS fetchedCount,
  total_likes AS totalLikes, error_message AS errorMessage, warning, requested_at AS requestedAt,
  started_at AS startedAt, finished_at AS finishedAt`;
const LIKER = `id, fetch_id AS fetchId, ig_user_id AS igUserId, username, full_name AS fullName, is_private AS isPrivate,
  is_verified AS isVerified, profile_pic_url AS profilePicUrl`;

const OF_FETCH: OrderedList = {
  select: `SELECT ${LIKER} FROM likers`,
  from: 'likers',
  where: 'fetch_id = ?',
  order: ['id'],
  direction: 'ASC',
};

/** Most accounts in one call of `among`. */
const MAX_ACCOUNTS = 1_000;

interface FetchRow extends Omit<LikersFetch, 'requestedAt' | 'startedAt' | 'finishedAt'> {
  readonly requestedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

interface LikerRow extends Omit<StoredLiker, 'isPrivate' | 'isVerified'> {
  readonly isPrivate: number;
  readonly isVerified: number;
}

function toFetch(row: FetchRow): LikersFetch {
  return {
    ...row,
    requestedAt: toDate(row.requestedAt),
    startedAt: toDateOrNull(row.startedAt),
    finishedAt: toDateOrNull(row.finishedAt),
  };
}

function toLiker(row: LikerRow): StoredLiker {
  return { ...row, isPrivate: row.isPrivate === 1, isVerified: row.isVerified === 1 };
}

function findFetch(sql: Sql, rest: string, ...values: readonly Value[]): LikersFetch | null {
  const row = sql.get<FetchRow>(`SELECT ${FETCH} FROM likers_fetches ${rest}`, ...values);
  return row === undefined ? null : toFetch(row);
}

/** As the index of them says it. */
const UNFINISHED = "status IN ('queued', 'running')";
/** A deletion of the campaign removes the fetch only later: likers that came in between would stay without it. */
const MAY_GROW = `SELECT 1 FROM likers_fetches WHERE id = ? AND ${UNFINISHED}
  AND EXISTS (SELECT 1 FROM challenges c WHERE c.id = challenge_id)`;
const NEWEST = 'ORDER BY requested_at DESC, id DESC LIMIT 1';

export function createLikerStore(connection: Connection): LikerStore {
  return {
    createFetch: (fetch) =>
      connection.write((sql) => {
        const { changes, id } = sql.run(
          `INSERT INTO likers_fetches (challenge_id, status, max_count, fetched_count, total_likes, error_message, warning,
            requested_at, started_at, finished_at) SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM challenges WHERE id = ?`,
          fetch.status,
          fetch.maxCount,
          fetch.fetchedCount,
          fetch.totalLikes,
          fetch.errorMessage,
          fetch.warning,
          millis(fetch.requestedAt),
          millisOrNull(fetch.startedAt),
          millisOrNull(fetch.finishedAt),
          fetch.challengeId,
        );
        if (changes === 0) throw challengeNotFound(fetch.challengeId);
        const stored = findFetch(sql, 'WHERE id = ?', id);
        if (stored === null) throw new Error('A likers fetch that was just inserted is missing.');
        return stored;
      }),

    findFetch: (id) => connection.read((sql) => findFetch(sql, 'WHERE id = ?', id)),
    latestFetch: (challengeId) =>
      connection.read((sql) => findFetch(sql, `WHERE challenge_id = ? ${NEWEST}`, challengeId)),
    latestCompleted: (challengeId) =>
      connection.read((sql) =>
        findFetch(sql, `WHERE challenge_id = ? AND status = 'succeeded' ${NEWEST}`, challengeId),
      ),

    updateFetch: (fetch) =>
      connection.write((sql) => {
        const { changes } = sql.run(
          `UPDATE likers_fetches SET status = ?, max_count = ?, fetched_count = ?, total_likes = ?, error_message = ?,
            warning = ?, requested_at = ?, started_at = ?, finished_at = ? WHERE id = ? AND ${UNFINISHED}`,
          fetch.status,
          fetch.maxCount,
          fetch.fetchedCount,
          fetch.totalLikes,
          fetch.errorMessage,
          fetch.warning,
          millis(fetch.requestedAt),
          millisOrNull(fetch.startedAt),
          millisOrNull(fetch.finishedAt),
          fetch.id,
        );
        return changes > 0;
      }),

    unfinished: (before, limit, after) =>
      connection.read((sql) =>
        sql
          .all<WaitingRow<Pick<LikersFetch, 'challengeId'>>>(
            `SELECT id, challenge_id AS challengeId, requested_at AS since FROM likers_fetches
            WHERE ${UNFINISHED} AND requested_at < ? AND (requested_at, id) > (?, ?)
            ORDER BY requested_at, id LIMIT ?`,
            millis(before),
            ...behind(after),
            limit,
          )
          .map(toWaiting),
      ),

    async insertNew(fetchId, likers) {
      const inserted = await connection.writeMany(likers, (sql, some) =>
        sql.get(MAY_GROW, fetchId) === undefined ? [] : some.map((liker) => insert(sql, fetchId, liker)),
      );
      return inserted.reduce((sum, changes) => sum + changes, 0);
    },

    page: (fetchId, page) =>
      connection.read((sql) => pageOf(readPage<LikerRow>(sql, OF_FETCH, [fetchId], page), toLiker)),

    async among(fetchId, accounts) {
      atMost(accounts, MAX_ACCOUNTS, 'handles or numbers');
      return connection.read((sql) => found(sql, accounts, AMONG, (sought) => [fetchId, sought]));
    },

    async amongSince(challengeId, since, accounts) {
      atMost(accounts, MAX_ACCOUNTS, 'handles or numbers');
      const from = millis(since);
      return connection.read((sql) => found(sql, accounts, AMONG_SINCE, (sought) => [sought, challengeId, from]));
    },
  };
}

function insert(sql: Sql, fetchId: number, liker: NewLiker): number {
  return sql.run(
    `INSERT INTO likers (fetch_id, ig_user_id, username, handle, full_name, is_private, is_verified, profile_pic_url)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (fetch_id, ig_user_id) DO NOTHING`,
    fetchId,
    liker.igUserId,
    liker.username,
    normaliseHandle(liker.username),
    liker.fullName,
    flag(liker.isPrivate),
    flag(liker.isVerified),
    liker.profilePicUrl,
  ).changes;
}

type ByColumn = (column: 'handle' | 'ig_user_id') => string;

const AMONG: ByColumn = (column) =>
  `SELECT fetch_id AS fetchId, ig_user_id AS igUserId, username FROM likers WHERE fetch_id = ? AND ${column} = ? LIMIT 1`;
const AMONG_SINCE: ByColumn = (column) =>
  `SELECT fetch_id AS fetchId, ig_user_id AS igUserId, username
    FROM likers_fetches AS f JOIN likers AS l ON l.fetch_id = f.id AND l.${column} = ?
    WHERE f.challenge_id = ? AND f.status = 'succeeded' AND coalesce(f.started_at, f.requested_at) >= ? LIMIT 1`;

/** The first liker for each account that has one. */
function found(
  sql: Sql,
  accounts: readonly AuthorKey[],
  query: ByColumn,
  valuesFor: (sought: string) => readonly Value[],
): ReadonlyMap<AuthorKey, FoundLiker> {
  return new Map(
    accounts.flatMap((account) => {
      const number = numberIn(account);
      const text = query(number === null ? 'handle' : 'ig_user_id');
      const row = sql.get<FoundLiker>(text, ...valuesFor(number ?? normaliseHandle(account)));
      return row === undefined ? [] : [[account, row] as const];
    }),
  );
}
