import { performance } from 'node:perf_hooks';
import { atMost, pieces } from '../../core/bulk.ts';
import type {
  NewComment,
  StoredComment,
  SweepProgress,
  SweptReading,
} from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
import { completeAuthors } from './author-numbers.ts';
import { nextPart, partsOf } from './comment-parts.ts';
import type { Connection, Sql } from './database.ts';
import { countChanged, totalOf } from './list-totals.ts';
import { addBatch, compareAnew } from './matching-store.ts';
import type { OrderedList, Pages } from './pages.ts';
import { flag, fromJson, millis, pageOf, toDate, type Value } from './values.ts';

const COLUMNS = `id, challenge_id AS challengeId, platform_comment_id AS platformCommentId, username, author_id AS authorId,
  comment_text AS commentText, commented_at AS commentedAt, created_at AS createdAt`;

const NEWEST_FIRST: OrderedList = {
  select: `SELECT ${COLUMNS} FROM comments`,
  from: 'comments',
  where: 'challenge_id = ?',
  order: ['commented_at', 'id'],
  direction: 'DESC',
};

/** Comments in one transaction. Of more of them, more are on the same pages of an index, which are then written once. */
const ROWS_TOGETHER = 1_000;
/** A transaction with at least so many comments ends after this long, since it holds the event loop. */
const LEAST_ROWS_TOGETHER = 250;
const TOGETHER_MS = 6;

/** Comments in one statement, which takes a fifth less time than a statement each. Fewer that are left over get one each. */
const ROWS_A_STATEMENT = 25;

/** Most authors in one call of `earliestByAuthors`. */
const MAX_AUTHORS = 1_000;
/** Authors that are looked for in one turn of the event loop: 3 ms with ten parts. */
const AUTHORS_TOGETHER = 100;

/** Of each part the author's earliest comment, and of these the earliest. Some authors write thousands. */
const earliestWhere = (
  condition: string,
  order = 'commented_at, id',
) => `SELECT ${COLUMNS} FROM (SELECT value AS n FROM json_each(?)) CROSS JOIN comments ON id = (
    SELECT id FROM comments WHERE challenge_id = ? AND part = n AND ${condition} ORDER BY ${order} LIMIT 1)
  ORDER BY ${order} LIMIT 1`;
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

/**
 * Of the challenge, the time of storing, the part, and `rows` of the other six. `OR FAIL` leaves it to the transaction to
 * undo what a failed statement has done. Otherwise SQLite copies each page before the statement changes it: a quarter of its time.
 */
const insertOf = (rows: number) =>
  `INSERT OR FAIL INTO comments
      (challenge_id, created_at, part, platform_comment_id, username, author, author_id, comment_text, commented_at)
    SELECT ?, ?, ?, * FROM (VALUES ${Array(rows).fill('(?, ?, ?, ?, ?, ?)').join(', ')}) WHERE true
    ON CONFLICT (challenge_id, platform_comment_id) DO NOTHING`;
const INSERT_MANY = insertOf(ROWS_A_STATEMENT);
const INSERT_ONE = insertOf(1);

/** Notes when known comments were met again. New ones were met when they were stored. */
const meetOf = (rows: number) =>
  `UPDATE comments SET met_at = ? WHERE challenge_id = ? AND created_at < ?
    AND platform_comment_id IN (${Array(rows).fill('?').join(', ')})`;
const MEET_MANY = meetOf(ROWS_A_STATEMENT);
const MEET_ONE = meetOf(1);

/**
 * Inserts the first of these comments, all of them if that is quick. The ids of new rows follow one another, up to `lastId`.
 * `completed`: how many were there without a number or a handle, and have got it.
 */
function insertFirst(sql: Sql, challengeId: number, comments: readonly NewComment[], createdAt: number) {
  const started = performance.now();
  const part = nextPart(sql, challengeId);
  let taken = 0;
  let added = 0;
  let lastId = 0;
  let completed = 0;
  const insert = (text: string, meet: string, rows: readonly NewComment[]) => {
    const values: Value[] = [challengeId, createdAt, part];
    for (const { platformCommentId, username, authorId = null, commentText, commentedAt } of rows) {
      values.push(platformCommentId, username, normaliseHandle(username), authorId, commentText, millis(commentedAt));
    }
    const { changes, id } = sql.run(text, ...values);
    taken += rows.length;
    added += changes;
    if (changes > 0) lastId = id;
    if (changes === rows.length) return;
    completed += completeAuthors(sql, challengeId, rows);
    sql.run(meet, createdAt, challengeId, createdAt, ...rows.map(({ platformCommentId }) => platformCommentId));
  };
  for (const group of pieces(comments, ROWS_A_STATEMENT)) {
    if (group.length === ROWS_A_STATEMENT) insert(INSERT_MANY, MEET_MANY, group);
    else for (const comment of group) insert(INSERT_ONE, MEET_ONE, [comment]);
    if (taken >= LEAST_ROWS_TOGETHER && performance.now() - started >= TOGETHER_MS) break;
  }
  return { taken, added, lastId, completed };
}

export function createCommentStore(connection: Connection, pages: Pages): CommentStore {
  return {
    async insertNew(challengeId, comments, now, progress) {
      const createdAt = millis(now);
      let inserted = 0;
      let isSaved = true;
      for (let stored = 0; stored < comments.length; ) {
        const next = comments.slice(stored, stored + ROWS_TOGETHER);
        const written = await connection.write((sql) => {
          if (sql.get('SELECT 1 FROM challenges WHERE id = ?', challengeId) === undefined)
            return { taken: next.length, added: 0, saved: true };
          const { taken, added, lastId, completed } = insertFirst(sql, challengeId, next, createdAt);
          addBatch(sql, challengeId, added, lastId);
          if (completed > 0) compareAnew(sql, challengeId);
          countChanged(sql, 'comments', challengeId, added);
          const isLast = stored + taken === comments.length;
          return { taken, added, saved: !isLast || progress === undefined || saveSweep(sql, progress) };
        });
        stored += written.taken;
        inserted += written.added;
        isSaved = written.saved;
      }
      if (comments.length === 0 && progress !== undefined) {
        isSaved = await connection.write((sql) => saveSweep(sql, progress));
      }
      if (!isSaved) throw new SweepTakenOver();
      return inserted;
    },

    async page(challengeId, page) {
      const counted = (sql: Sql) => totalOf(sql, 'comments', challengeId);
      return pageOf(await pages.read<CommentRow>(NEWEST_FIRST, [challengeId], page, counted), toComment);
    },

    count: (challengeId) => connection.lookUp((sql) => totalOf(sql, 'comments', challengeId).total),

    async knownAmong(challengeId, platformCommentIds, since = new Date(0)) {
      return connection.read((sql) => {
        const text = `SELECT 1 FROM comments
          WHERE challenge_id = ? AND platform_comment_id = ? AND coalesce(met_at, created_at) >= ?`;
        const from = millis(since);
        return new Set(platformCommentIds.filter((id) => sql.get(text, challengeId, id, from) !== undefined));
      });
    },

    earliestByAuthors: (challengeId, authors) =>
      firsts(connection, challengeId, authors, (author) => {
        const number = numberIn(author);
        return number === null ? [EARLIEST_BY_HANDLE, normaliseHandle(author)] : [EARLIEST_BY_NUMBER, number];
      }),

    firstUnnumbered: (challengeId, handles) =>
      firsts(connection, challengeId, handles, (handle) => [FIRST_UNNUMBERED, normaliseHandle(handle)]),

    sweep: (challengeId) =>
      connection.lookUp((sql): SweepProgress | null => {
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
async function firsts(
  connection: Connection,
  challengeId: number,
  authors: readonly AuthorKey[],
  queryFor: (author: AuthorKey) => readonly [query: string, value: string],
): Promise<ReadonlyMap<AuthorKey, StoredComment>> {
  atMost(authors, MAX_AUTHORS, 'handles or numbers');
  const found = new Map<AuthorKey, StoredComment>();
  for (const some of pieces(authors, AUTHORS_TOGETHER)) {
    await connection.lookUp((sql) => {
      const parts = JSON.stringify(partsOf(sql, challengeId));
      for (const author of some) {
        const [query, value] = queryFor(author);
        const row = sql.get<CommentRow>(query, parts, challengeId, value);
        if (row !== undefined) found.set(author, toComment(row));
      }
    });
  }
  return found;
}
