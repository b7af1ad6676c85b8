import { atMost } from '../../core/bulk.ts';
import type {
  NewComment,
  StoredComment,
  SweepProgress,
  SweptReading,
} from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
import type { Connection, Sql } from './database.ts';
import { countRows, type OrderedList, readPage } from './pages.ts';
import { BULK_ROWS, flag, fromJson, millis, pageOf, toDate, type Value } from './values.ts';

const COLUMNS = `id, challenge_id AS challengeId, platform_comment_id AS platformCommentId, username, author_id AS authorId,
  comment_text AS commentText, commented_at AS commentedAt, created_at AS createdAt`;

const NEWEST_FIRST: OrderedList = {
  select: `SELECT ${COLUMNS} FROM comments`,
  from: 'comments',
  where: 'challenge_id = ?',
  order: ['commented_at', 'id'],
  direction: 'DESC',
};

/** Most authors in one call of `earliestByAuthors`. */
const MAX_AUTHORS = 1_000;
const earliestWhere = (condition: string, order = 'commented_at, id') =>
  `SELECT ${COLUMNS} FROM comments WHERE challenge_id = ? AND ${condition} ORDER BY ${order} LIMIT 1`;
const EARLIEST_BY_HANDLE = earliestWhere('author = ?');
const EARLIEST_BY_NUMBER = earliestWhere('author_id = ?');
const FIRST_UNNUMBERED = earliestWhere('author = ? AND author_id IS NULL', 'id');

interface CommentRow extends Omit<StoredComment, 'commentedAt' | 'createdAt'> {
  readonly commentedAt: number;
  readonly createdAt: number;
}

interface SweepRow
  extends Omit<
    SweepProgress,
    | 'pendingReplies'
    | 'historyComplete'
    | 'confirmed'
    | 'refusedSince'
    | 'leasedAt'
    | 'lastSwept'
    | 'startedAt'
    | 'updatedAt'
  > {
  readonly refusedSince: number | null;
  readonly leasedAt: number;
  readonly lastSwept: string | null;
  readonly confirmed: number;
  readonly pendingReplies: string;
  readonly historyComplete: number;
  readonly startedAt: number;
  readonly updatedAt: number;
}

function toComment(row: CommentRow): StoredComment {
  return { ...row, commentedAt: toDate(row.commentedAt), createdAt: toDate(row.createdAt) };
}

const SWEEP_COLUMNS = [
  'cursor',
  'pending_replies',
  'pages_read',
  'total_fetched',
  'status',
  'history_complete',
  'expected_total',
  'unread_replies',
  'skipped',
  'unnumbered',
  'unnamed',
  'confirmed',
  'refused_since',
  'lease',
  'leased_at',
  'last_swept',
  'started_at',
  'updated_at',
] as const;

const BEGIN_FIRST_SWEEP = `INSERT INTO sweeps (${SWEEP_COLUMNS.join(', ')}, challenge_id)
  SELECT ${SWEEP_COLUMNS.map(() => '?').join(', ')}, id FROM challenges WHERE id = ? ON CONFLICT DO NOTHING`;
const SAVE_SWEEP = `${BEGIN_FIRST_SWEEP.replace('DO NOTHING', 'DO UPDATE SET')}
  ${SWEEP_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE sweeps.lease <= excluded.lease`;
const BEGIN_SWEEP = `UPDATE sweeps SET ${SWEEP_COLUMNS.map((column) => `${column} = ?`).join(', ')}
  WHERE challenge_id = ? AND lease = ? AND updated_at = ?`;

/** In the order of `SWEEP_COLUMNS`, with the challenge behind them. */
function sweepValues(progress: SweepProgress): Value[] {
  return [
    progress.cursor,
    JSON.stringify(progress.pendingReplies),
    progress.pagesRead,
    progress.totalFetched,
    progress.status,
    flag(progress.historyComplete),
    progress.expectedTotal,
    progress.unreadReplies,
    progress.skipped,
    progress.unnumbered ?? null,
    progress.unnamed ?? 0,
    flag(progress.confirmed),
    progress.refusedSince === null ? null : millis(progress.refusedSince),
    progress.lease,
    millis(progress.leasedAt),
    progress.lastSwept === null ? null : JSON.stringify(progress.lastSwept),
    millis(progress.startedAt),
    millis(progress.updatedAt),
    progress.challengeId,
  ];
}

function beginSweep(sql: Sql, start: SweepProgress, last: SweepProgress | null): boolean {
  const values = sweepValues(start);
  const { changes } =
    last === null
      ? sql.run(BEGIN_FIRST_SWEEP, ...values)
      : sql.run(BEGIN_SWEEP, ...values, last.lease, millis(last.updatedAt));
  return changes === 1;
}

/** False if a later sweep has begun. */
function saveSweep(sql: Sql, progress: SweepProgress): boolean {
  if (sql.run(SAVE_SWEEP, ...sweepValues(progress)).changes === 1) return true;
  const later = 'SELECT 1 FROM sweeps WHERE challenge_id = ? AND lease > ?';
  return sql.get(later, progress.challengeId, progress.lease) === undefined;
}

function toSweptReading(json: string): SweptReading {
  const { leasedAt, startedAt, updatedAt, ...rest } = fromJson<Record<keyof SweptReading, never>>(json);
  return { ...rest, leasedAt: new Date(leasedAt), startedAt: new Date(startedAt), updatedAt: new Date(updatedAt) };
}

const INSERT = `INSERT INTO comments
    (challenge_id, platform_comment_id, username, author, author_id, comment_text, commented_at, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (challenge_id, platform_comment_id) DO NOTHING`;
/** A comment that was stored without a number, or without a handle, gets the one that is told now. */
const COMPLETE = `UPDATE comments SET author_id = coalesce(author_id, number),
    author = iif(username = '', handle, author), username = iif(username = '', name, username)
  FROM (SELECT ? AS number, ? AS handle, ? AS name)
  WHERE challenge_id = ? AND platform_comment_id = ?
    AND (author_id IS NULL AND number IS NOT NULL OR username = '' AND name <> '')`;
/** Notes when a known comment was met again. A new one was met when it was stored. */
const MEET = 'UPDATE comments SET met_at = ? WHERE challenge_id = ? AND platform_comment_id = ? AND created_at < ?';

/** Inserts new comments and completes known ones. Returns how many are new. */
function insertComments(sql: Sql, challengeId: number, comments: readonly NewComment[], now: number): number {
  let added = 0;
  for (const { platformCommentId, username, authorId = null, commentText, commentedAt } of comments) {
    const author = normaliseHandle(username);
    const values = [username, author, authorId, commentText, millis(commentedAt), now];
    const { changes } = sql.run(INSERT, challengeId, platformCommentId, ...values);
    if (changes > 0) {
      added += 1;
    } else {
      sql.run(COMPLETE, authorId, author, username, challengeId, platformCommentId);
      sql.run(MEET, now, challengeId, platformCommentId, now);
    }
  }
  return added;
}

export function createCommentStore(connection: Connection): CommentStore {
  return {
    async insertNew(challengeId, comments, now, progress) {
      let inserted = 0;
      for (let stored = 0; stored === 0 || stored < comments.length; stored += BULK_ROWS) {
        const some = comments.slice(stored, stored + BULK_ROWS);
        const isLast = stored + BULK_ROWS >= comments.length;
        const { added, isSaved } = await connection.write((sql) => {
          if (sql.get('SELECT 1 FROM challenges WHERE id = ?', challengeId) === undefined)
            return { added: 0, isSaved: true };
          return {
            added: insertComments(sql, challengeId, some, millis(now)),
            isSaved: !isLast || progress === undefined || saveSweep(sql, progress),
          };
        });
        inserted += added;
        if (!isSaved) throw new SweepTakenOver();
      }
      return inserted;
    },

    page: (challengeId, page) =>
      connection.read((sql) => pageOf(readPage<CommentRow>(sql, NEWEST_FIRST, [challengeId], page), toComment)),

    count: (challengeId) => connection.read((sql) => countRows(sql, NEWEST_FIRST, [challengeId])),

    knownAmong: (challengeId, platformCommentIds, since = new Date(0)) =>
      connection.read((sql) => {
        const text = `SELECT 1 FROM comments
          WHERE challenge_id = ? AND platform_comment_id = ? AND coalesce(met_at, created_at) >= ?`;
        const from = millis(since);
        return new Set(platformCommentIds.filter((id) => sql.get(text, challengeId, id, from) !== undefined));
      }),

    earliestByAuthors: async (challengeId, authors) =>
      firsts(connection, challengeId, authors, (author) => {
        const number = numberIn(author);
        return number === null ? [EARLIEST_BY_HANDLE, normaliseHandle(author)] : [EARLIEST_BY_NUMBER, number];
      }),

    firstUnnumbered: async (challengeId, handles) =>
      firsts(connection, challengeId, handles, (handle) => [FIRST_UNNUMBERED, normaliseHandle(handle)]),

    sweep: (challengeId) =>
      connection.read((sql): SweepProgress | null => {
        const row = sql.get<SweepRow>(
          `SELECT challenge_id AS challengeId, cursor, pending_replies AS pendingReplies, pages_read AS pagesRead,
              total_fetched AS totalFetched, status, history_complete AS historyComplete,
              expected_total AS expectedTotal, unread_replies AS unreadReplies, skipped, unnumbered, unnamed, confirmed,
              refused_since AS refusedSince, lease, leased_at AS leasedAt, last_swept AS lastSwept, started_at AS startedAt, updated_at AS updatedAt FROM sweeps WHERE challenge_id = ?`,
          challengeId,
        );
        if (row === undefined) return null;
        return {
          ...row,
          pendingReplies: fromJson<SweepProgress['pendingReplies']>(row.pendingReplies),
          historyComplete: row.historyComplete === 1,
          confirmed: row.confirmed === 1,
          refusedSince: row.refusedSince === null ? null : toDate(row.refusedSince),
          leasedAt: toDate(row.leasedAt),
          lastSwept: row.lastSwept === null ? null : toSweptReading(row.lastSwept),
          startedAt: toDate(row.startedAt),
          updatedAt: toDate(row.updatedAt),
        };
      }),

    beginSweep: (start, last) => connection.write((sql) => beginSweep(sql, start, last)),

    async saveSweep(progress) {
      if (!(await connection.write((sql) => saveSweep(sql, progress)))) throw new SweepTakenOver();
    },
  };
}

/** The first comment of each author that has one, by a query and the value that it asks for. */
function firsts(
  connection: Connection,
  challengeId: number,
  authors: readonly AuthorKey[],
  queryFor: (author: AuthorKey) => readonly [query: string, value: string],
): Promise<ReadonlyMap<AuthorKey, StoredComment>> {
  atMost(authors, MAX_AUTHORS, 'handles or numbers');
  return connection.read((sql) => {
    const found = new Map<AuthorKey, StoredComment>();
    for (const author of authors) {
      const [query, value] = queryFor(author);
      const row = sql.get<CommentRow>(query, challengeId, value);
      if (row !== undefined) found.set(author, toComment(row));
    }
    return found;
  });
}
