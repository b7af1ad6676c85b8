import { atMost } from '../../core/bulk.ts';
import type { NewComment, StoredComment, SweepProgress } from '../../core/engagement/challenge-data/comment.ts';
import { type AuthorKey, foundAmong, numberKey, splitKeys } from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver } from '../../core/ports/comment-store.ts';
import { equals, type OrderedList, readPage } from './pages.ts';
import { CHALLENGES, COMMENTS, SWEEPS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

const NEWEST_FIRST: OrderedList<StoredComment> = { table: COMMENTS, order: ['commented_at', 'id'], direction: 'DESC' };

/** Most authors in one call of `earliestByAuthors`. */
const MAX_AUTHORS = 1_000;
/** For each value the first comment with it. */
const firstWith = (condition: string, order: string) => `WHERE id IN (
  SELECT (SELECT c.id FROM comments AS c WHERE c.challenge_id = ? AND ${condition} ORDER BY ${order} LIMIT 1)
  FROM json_each(?))`;
const EARLIEST_BY_HANDLE = firstWith('c.author = value', 'c.commented_at, c.id');
const EARLIEST_BY_NUMBER = firstWith('c.author_id = value', 'c.commented_at, c.id');
const FIRST_UNNUMBERED = firstWith('c.author = value AND c.author_id IS NULL', 'c.id');

/** A comment that was stored without a number, or without a handle, gets the one that is told now. */
const COMPLETE = `UPDATE comments SET author_id = coalesce(author_id, number),
    author = CASE username WHEN '' THEN handle ELSE author END, username = CASE username WHEN '' THEN name ELSE username END
  FROM (SELECT CAST(? AS TEXT) AS number, CAST(? AS TEXT) AS handle, CAST(? AS TEXT) AS name) AS told
  WHERE challenge_id = ? AND platform_comment_id = ?
    AND (author_id IS NULL AND number IS NOT NULL OR username = '' AND name <> '')`;
/** Notes when known comments were met again. A new one was met when it was stored. */
const MEET = `UPDATE comments SET met_at = ?
  WHERE challenge_id = ? AND platform_comment_id IN (SELECT value FROM json_each(?)) AND created_at < ?`;
const KNOWN = `SELECT platform_comment_id AS id FROM comments WHERE challenge_id = ?
  AND platform_comment_id IN (SELECT value FROM json_each(?))`;

/** Inserts new comments and completes known ones. Returns how many are new. */
function* insertComments(sql: Sql, challengeId: number, comments: readonly NewComment[], now: Date): Work<number> {
  const rows = comments.map((comment) => {
    const author = normaliseHandle(comment.username);
    return { ...comment, challengeId, author, authorId: comment.authorId ?? null, createdAt: now };
  });
  const added = yield* COMMENTS.insertNew(sql, rows, '(challenge_id, platform_comment_id)');
  if (added.length === rows.length) return added.length;
  const isNew = new Set(added.map(({ platformCommentId }) => platformCommentId));
  const known = rows.filter(({ platformCommentId }) => !isNew.delete(platformCommentId));
  const ids = new Among(known.map(({ platformCommentId }) => platformCommentId));
  yield* sql.run(MEET, millis(now), challengeId, ids, millis(now));
  const lacking = `${KNOWN} AND (author_id IS NULL OR username = '')`;
  const incomplete = new Set((yield* sql.all<{ id: string }>(lacking, challengeId, ids)).map(({ id }) => id));
  for (const { platformCommentId: id, authorId, author, username } of known) {
    if (incomplete.has(id)) yield* sql.run(COMPLETE, authorId, author, username, challengeId, id);
  }
  return added.length;
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
    return (yield* SWEEPS.insertNew(sql, [whole(start)], '(challenge_id)')).length > 0;
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
  const sweepOf = SWEEPS.finder(connection, 'challenge_id');
  return {
    async insertNew(challengeId, comments, now, progress) {
      let inserted = 0;
      for (let stored = 0; stored === 0 || stored < comments.length; stored += BULK_ROWS) {
        const some = comments.slice(stored, stored + BULK_ROWS);
        const isLast = stored + BULK_ROWS >= comments.length;
        const { added, isSaved } = await connection.write(function* (sql) {
          if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) return { added: 0, isSaved: true };
          return {
            added: yield* insertComments(sql, challengeId, some, now),
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
        const met = `${KNOWN} AND coalesce(met_at, created_at) >= ?`;
        const rows = yield* sql.all<{ id: string }>(met, challengeId, new Among(platformCommentIds), millis(since));
        return new Set(rows.map(({ id }) => id));
      }),

    earliestByAuthors: async (challengeId, authors, which) => {
      const { handles, numbers } = splitKeys(atMost(authors, MAX_AUTHORS, 'handles or numbers'));
      return connection.read(function* (sql) {
        const found = new Map<AuthorKey, StoredComment>();
        const byHandle = which === undefined ? EARLIEST_BY_HANDLE : FIRST_UNNUMBERED;
        const sought = new Among(handles.map(normaliseHandle));
        for (const comment of yield* COMMENTS.select(sql, byHandle, challengeId, sought)) {
          found.set(normaliseHandle(comment.username), comment);
        }
        for (const comment of yield* COMMENTS.select(sql, EARLIEST_BY_NUMBER, challengeId, new Among(numbers))) {
          found.set(numberKey(comment.authorId ?? ''), comment);
        }
        return foundAmong(authors, found);
      });
    },

    sweep: async (challengeId) => (await sweepOf(challengeId))[0] ?? null,

    beginSweep: (start, last) => connection.write((sql) => beginSweep(sql, start, last)),

    async saveSweep(progress) {
      if (!(await connection.write((sql) => saveSweep(sql, progress)))) throw new SweepTakenOver();
    },
  };
}
