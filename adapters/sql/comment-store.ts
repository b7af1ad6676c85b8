import { atMost } from '../../core/bulk.ts';
import type { NewComment, StoredComment, SweepProgress } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, numberIn } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
import { equals, type OrderedList, readPage } from './pages.ts';
import { CHALLENGES, COMMENTS, SWEEPS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

const NEWEST_FIRST: OrderedList<StoredComment> = { table: COMMENTS, order: ['commented_at', 'id'], direction: 'DESC' };

/** Most authors in one call of `earliestByAuthors`. */
const MAX_AUTHORS = 1_000;
const EARLIEST = 'ORDER BY commented_at, id LIMIT 1';
const EARLIEST_BY_HANDLE = `WHERE challenge_id = ? AND author = ? ${EARLIEST}`;
const EARLIEST_BY_NUMBER = `WHERE challenge_id = ? AND author_id = ? ${EARLIEST}`;
const FIRST_UNNUMBERED = 'WHERE challenge_id = ? AND author = ? AND author_id IS NULL ORDER BY id LIMIT 1';

const INSERT = `INSERT INTO comments
    (challenge_id, platform_comment_id, username, author, author_id, comment_text, commented_at, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (challenge_id, platform_comment_id) DO NOTHING`;
/** A comment that was stored without a number, or without a handle, gets the one that is told now. */
const COMPLETE = `UPDATE comments SET author_id = coalesce(author_id, number),
    author = CASE username WHEN '' THEN handle ELSE author END, username = CASE username WHEN '' THEN name ELSE username END
  FROM (SELECT CAST(? AS TEXT) AS number, CAST(? AS TEXT) AS handle, CAST(? AS TEXT) AS name) AS told
  WHERE challenge_id = ? AND platform_comment_id = ?
    AND (author_id IS NULL AND number IS NOT NULL OR username = '' AND name <> '')`;
/** Notes when a known comment was met again. A new one was met when it was stored. */
const MEET = 'UPDATE comments SET met_at = ? WHERE challenge_id = ? AND platform_comment_id = ? AND created_at < ?';

const KNOWN = `SELECT platform_comment_id AS id FROM comments WHERE challenge_id = ?
  AND platform_comment_id IN (SELECT value FROM json_each(?)) AND coalesce(met_at, created_at) >= ?`;

/** Inserts new comments and completes known ones. Returns how many are new. */
function* insertComments(sql: Sql, challengeId: number, comments: readonly NewComment[], now: number): Work<number> {
  let added = 0;
  for (const { platformCommentId, username, authorId = null, commentText, commentedAt } of comments) {
    const author = normaliseHandle(username);
    const values = [username, author, authorId, commentText, millis(commentedAt), now];
    if ((yield* sql.run(INSERT, challengeId, platformCommentId, ...values)) > 0) {
      added += 1;
    } else {
      yield* sql.run(COMPLETE, authorId, author, username, challengeId, platformCommentId);
      yield* sql.run(MEET, now, challengeId, platformCommentId, now);
    }
  }
  return added;
}

/** What a caller leaves out is not what was stored before. */
const whole = (progress: SweepProgress): SweepProgress => ({
  ...progress,
  unnumbered: progress.unnumbered ?? null,
  unnamed: progress.unnamed ?? 0,
});

function* beginSweep(sql: Sql, start: SweepProgress, last: SweepProgress | null): Work<boolean> {
  const { challengeId } = start;
  if (last === null) {
    if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) return false;
    return (yield* SWEEPS.insertNew(sql, whole(start), 'challenge_id')) !== null;
  }
  const seen = 'WHERE challenge_id = ? AND lease = ? AND updated_at = ?';
  return (yield* SWEEPS.update(sql, whole(start), seen, challengeId, last.lease, millis(last.updatedAt))) > 0;
}

/** False if a later sweep has begun. */
function* saveSweep(sql: Sql, progress: SweepProgress): Work<boolean> {
  const { challengeId, lease } = progress;
  const stored = yield* SWEEPS.find(sql, 'WHERE challenge_id = ? FOR UPDATE', challengeId);
  if (stored !== null && stored.lease > lease) return false;
  if (stored !== null) yield* SWEEPS.update(sql, whole(progress), 'WHERE challenge_id = ?', challengeId);
  // Nothing is kept for a deleted challenge.
  else if (yield* CHALLENGES.holds(sql, 'id = ?', challengeId)) yield* SWEEPS.insert(sql, whole(progress));
  return true;
}

export function createCommentStore(connection: SqlConnection): CommentStore {
  return {
    async insertNew(challengeId, comments, now, progress) {
      let inserted = 0;
      for (let stored = 0; stored === 0 || stored < comments.length; stored += BULK_ROWS) {
        const some = comments.slice(stored, stored + BULK_ROWS);
        const isLast = stored + BULK_ROWS >= comments.length;
        const { added, isSaved } = await connection.write(function* (sql) {
          if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) return { added: 0, isSaved: true };
          return {
            added: yield* insertComments(sql, challengeId, some, millis(now)),
            isSaved: !isLast || progress === undefined || (yield* saveSweep(sql, progress)),
          };
        });
        inserted += added;
        if (!isSaved) throw new SweepTakenOver();
      }
      return inserted;
    },

    page: (challengeId, page) =>
      connection.read((sql) => readPage(sql, NEWEST_FIRST, equals({ challenge_id: challengeId }), page)),

    knownAmong: (challengeId, platformCommentIds, since = new Date(0)) =>
      connection.read(function* (sql) {
        const rows = yield* sql.all<{ id: string }>(KNOWN, challengeId, new Among(platformCommentIds), millis(since));
        return new Set(rows.map(({ id }) => id));
      }),

    earliestByAuthors: async (challengeId, authors, which) =>
      firsts(connection, challengeId, authors, (author) => {
        if (which === 'unnumbered') return [FIRST_UNNUMBERED, normaliseHandle(author)];
        const number = numberIn(author);
        return number === null ? [EARLIEST_BY_HANDLE, normaliseHandle(author)] : [EARLIEST_BY_NUMBER, number];
      }),

    sweep: (challengeId) => connection.read((sql) => SWEEPS.find(sql, 'WHERE challenge_id = ?', challengeId)),

    beginSweep: (start, last) => connection.write((sql) => beginSweep(sql, start, last)),

    async saveSweep(progress) {
      if (!(await connection.write((sql) => saveSweep(sql, progress)))) throw new SweepTakenOver();
    },
  };
}

/** The first comment of each author that has one, by a query and the value that it asks for. */
function firsts(
  connection: SqlConnection,
  challengeId: number,
  authors: readonly AuthorKey[],
  queryFor: (author: AuthorKey) => readonly [query: string, value: string],
): Promise<ReadonlyMap<AuthorKey, StoredComment>> {
  atMost(authors, MAX_AUTHORS, 'handles or numbers');
  return connection.read(function* (sql) {
    const found = new Map<AuthorKey, StoredComment>();
    for (const author of authors) {
      const [query, value] = queryFor(author);
      const comment = yield* COMMENTS.find(sql, query, challengeId, value);
      if (comment !== null) found.set(author, comment);
    }
    return found;
  });
}
