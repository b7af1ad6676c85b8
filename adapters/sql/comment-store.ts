import { atMost } from '../../core/bulk.ts';
import type {
  NewComment,
  StoredComment,
  SweepProgress,
  VisibilityChange,
} from '../../core/engagement/challenge-data/comment.ts';
import { textKeyOf } from '../../core/engagement/rules/comment-text.ts';
import {
  type AuthorKey,
  foundAmong,
  numberKey,
  type SplitKeys,
  scopedKey,
  splitKeys,
} from '../../core/platforms/author-key.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { type CommentStore, SweepTakenOver, type UnmetSince } from '../../core/ports/comment-store.ts';
import { all, equals, readPage, when } from './pages.ts';
import type { Row } from './table.ts';
import { CHALLENGES, COMMENTS, SWEEPS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

/** For each value the first comment with it. */
const firstWith = (condition: string, order: string) => `WHERE id IN (
  SELECT (SELECT c.id FROM comments AS c WHERE c.challenge_id = ? AND ${condition}
    AND (c.withheld IS NULL OR c.withheld = ?) ORDER BY ${order} LIMIT 1)
  FROM json_each(?))`;
/** The earliest comment with each text. One that was withheld was there all the same. */
const EARLIEST_BY_TEXT = `SELECT * FROM comments WHERE id IN (
  SELECT (SELECT c.id FROM comments AS c WHERE c.challenge_id = ? AND c.text_key = value ORDER BY c.commented_at, c.id LIMIT 1)
  FROM json_each(?))`;
const AROUND = `SELECT value AS at, (SELECT count(*) FROM (SELECT 1 FROM comments WHERE challenge_id = ?
    AND commented_at BETWEEN CAST(value AS BIGINT) - ? AND CAST(value AS BIGINT) + ? LIMIT ?) AS near) AS found
  FROM json_each(?)`;
/**
 * The ids of the newest 100 comments of each author. They are sought one by one: for a list of authors a planner that knows nothing yet
 * of a large table reads the whole challenge.
 */
const newestOf = (column: string) => `SELECT (
    SELECT string_agg(CAST(id AS TEXT), ',') FROM (SELECT id FROM comments WHERE challenge_id = ? AND ${column} = value
      AND (withheld IS NULL OR withheld = ?) ORDER BY commented_at DESC, id DESC LIMIT 100) AS own) AS ids
  FROM json_each(?)`;
/** How comments are found by one kind of key of their authors, and under which key. */
const way = (kind: keyof SplitKeys, column: string, keyOf: (comment: StoredComment) => AuthorKey) => ({
  kind,
  keyOf,
  earliest: firstWith(`c.${column} = value`, 'c.commented_at, c.id'),
  newest: newestOf(column),
});
const BY_HANDLE = way('handles', 'author', ({ username }) => normaliseHandle(username));
const WAYS = [
  BY_HANDLE,
  way('numbers', 'author_id', ({ authorId }) => numberKey(authorId ?? '')),
  way('scoped', 'scoped_author_id', ({ scopedAuthorId }) => scopedKey(scopedAuthorId ?? '')),
];
const UNNUMBERED = { ...BY_HANDLE, earliest: firstWith('c.author = value AND c.author_id IS NULL', 'c.id') };
const WITH_IDS = 'WHERE id IN (?) ORDER BY commented_at, id';

/** What a comment was stored without, it gets now. */
const COMPLETE = `UPDATE comments SET author_id = coalesce(author_id, number), scoped_author_id = coalesce(scoped_author_id, scoped),
    comment_text = CASE comment_text WHEN '' THEN said ELSE comment_text END,
    is_reply = coalesce(is_reply, reply),
    text_key = CASE WHEN comment_text IN ('', said) THEN coalesce(text_key, key) ELSE text_key END,
    author = CASE username WHEN '' THEN handle ELSE author END, username = CASE username WHEN '' THEN name ELSE username END
  FROM (SELECT CAST(? AS TEXT) AS number, CAST(? AS TEXT) AS scoped, CAST(? AS TEXT) AS said, CAST(? AS TEXT) AS handle,
    CAST(? AS TEXT) AS name, CAST(? AS INTEGER) AS reply, CAST(? AS TEXT) AS key) AS told
  WHERE challenge_id = ? AND platform_comment_id = ? AND (author_id IS NULL AND number IS NOT NULL
    OR scoped_author_id IS NULL AND scoped IS NOT NULL OR username = '' AND name <> ''
    OR is_reply IS NULL AND reply IS NOT NULL OR text_key IS NULL AND key IS NOT NULL)`;
/** Of two changes of one comment the later one stands. */
const SEE = `UPDATE comments SET withheld = ?, visibility_at = ?
  WHERE challenge_id = ? AND platform_comment_id = ? AND coalesce(visibility_at, 0) < ?`;
/** Notes when known comments were met again. A new one was met when it was stored. */
const MEET = `UPDATE comments SET met_at = ?
  WHERE challenge_id = ? AND platform_comment_id IN (?) AND created_at < ?`;
const KNOWN = 'SELECT platform_comment_id AS id FROM comments WHERE challenge_id = ? AND platform_comment_id IN (?)';

/** Returns whether there is such a comment. */
function* see(sql: Sql, challengeId: number, change: VisibilityChange): Work<boolean> {
  const { platformCommentId, withheld, at } = change;
  const changed = yield* sql.run(SEE, withheld, millis(at), challengeId, platformCommentId, millis(at));
  const which = 'challenge_id = ? AND platform_comment_id = ?';
  return changed > 0 || (yield* COMMENTS.holds(sql, which, challengeId, platformCommentId));
}

function* withhold(sql: Sql, challengeId: number, changes: readonly VisibilityChange[]): Work<void> {
  if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) return;
  for (const change of changes) {
    const { platformCommentId, withheld, at } = change;
    if ((yield* see(sql, challengeId, change)) || withheld === null) continue;
    const blank = { challengeId, platformCommentId, username: '', author: '', commentText: '', commentedAt: at };
    const row = { ...blank, createdAt: at, withheld, visibilityAt: at };
    yield* COMMENTS.insertNew(sql, [row], '(challenge_id, platform_comment_id)');
  }
}

/** Inserts new comments and completes known ones. Returns how many are new. */
function* insertComments(sql: Sql, challengeId: number, comments: readonly NewComment[], now: Date): Work<number> {
  const rows = comments.map((comment) => {
    const author = normaliseHandle(comment.username);
    const seen = comment.isHidden ? { withheld: 'hidden' as const, visibilityAt: now } : {};
    const textKey = textKeyOf(comment.commentText);
    return { ...comment, ...seen, challengeId, author, authorId: comment.authorId ?? null, textKey, createdAt: now };
  });
  const added = yield* COMMENTS.insertNew(sql, rows, '(challenge_id, platform_comment_id)');
  if (added.length === rows.length) return added.length;
  const isNew = new Set(added.map(({ platformCommentId }) => platformCommentId));
  const known = rows.filter(({ platformCommentId }) => !isNew.delete(platformCommentId));
  const ids = new Among(known.map(({ platformCommentId }) => platformCommentId));
  yield* sql.run(MEET, millis(now), challengeId, ids, millis(now));
  const which = (condition: string) => sql.all<{ id: string }>(`${KNOWN} AND (${condition})`, challengeId, ids);
  const idsOf = (found: readonly { readonly id: string }[]) => new Set(found.map(({ id }) => id));
  const isScoped = known.some(({ scopedAuthorId }) => scopedAuthorId != null);
  const unread = `is_reply IS NULL OR text_key IS NULL AND comment_text <> ''`;
  const lacking = `author_id IS NULL OR username = '' OR ${unread}${isScoped ? ' OR scoped_author_id IS NULL' : ''}`;
  const incomplete = idsOf(yield* which(lacking));
  for (const { platformCommentId: id, scopedAuthorId = null, isReply, ...one } of known) {
    if (!incomplete.has(id)) continue;
    const reply = isReply === undefined ? null : Number(isReply);
    const told = [one.authorId, scopedAuthorId, one.commentText, one.author, one.username, reply, one.textKey];
    yield* sql.run(COMPLETE, ...told, challengeId, id);
  }
  const told = known.filter(({ isHidden }) => isHidden !== undefined);
  const withheld = told.length === 0 ? new Set() : idsOf(yield* which('withheld IS NOT NULL'));
  for (const { platformCommentId, isHidden } of told) {
    const change = { platformCommentId, withheld: isHidden ? ('hidden' as const) : null, at: now };
    if (isHidden !== withheld.has(platformCommentId)) yield* see(sql, challengeId, change);
  }
  return added.length;
}

function* beginSweep(sql: Sql, start: SweepProgress, last: SweepProgress | null): Work<boolean> {
  const { challengeId } = start;
  if (last === null) {
    if (!(yield* CHALLENGES.holds(sql, 'id = ?', challengeId))) return false;
    return (yield* SWEEPS.insertNew(sql, [start], '(challenge_id)')).length > 0;
  }
  const seen = 'WHERE challenge_id = ? AND lease = ? AND updated_at = ? FOR UPDATE';
  if ((yield* SWEEPS.find(sql, seen, challengeId, last.lease, millis(last.updatedAt))) === null) return false;
  yield* SWEEPS.replace(sql, [start]);
  return true;
}

/** False if a later sweep has begun. */
function* saveSweep(sql: Sql, progress: SweepProgress): Work<boolean> {
  const { challengeId, lease } = progress;
  const stored = yield* SWEEPS.find(sql, 'WHERE challenge_id = ? FOR UPDATE', challengeId);
  if (stored !== null && stored.lease > lease) return false;
  // Nothing is kept for a deleted challenge.
  const mayStay = stored !== null || (yield* CHALLENGES.holds(sql, 'id = ?', challengeId));
  if (mayStay) yield* SWEEPS.replace(sql, [progress]);
  return true;
}

/** The ways to these authors, with the values that their statements take. */
function waysOf(challengeId: number, authors: readonly AuthorKey[], countHidden = false, ways = WAYS) {
  const keys = splitKeys(atMost(authors, 'handles or numbers'));
  return ways.flatMap((way) => {
    const values = [challengeId, countHidden ? 'hidden' : '', new Among(keys[way.kind])];
    return keys[way.kind].length === 0 ? [] : [{ ...way, values }];
  });
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

    page: (challengeId, page, which) =>
      connection.read((sql) => {
        const met = `coalesce(met_at, created_at) >= ? AND withheld IS DISTINCT FROM 'removed'`;
        const asked = all(equals({ challenge_id: challengeId }), which && when(met, millis(which.metSince)));
        return readPage(sql, COMMENTS, '-commentedAt', asked, page);
      }),

    knownAmong: (challengeId, platformCommentIds, since = new Date(0)) =>
      connection.read(function* (sql) {
        const met = `${KNOWN} AND coalesce(met_at, created_at) >= ?`;
        const rows = yield* sql.all<{ id: string }>(met, challengeId, new Among(platformCommentIds), millis(since));
        return new Set(rows.map(({ id }) => id));
      }),

    earliestByAuthors: (challengeId, authors, which, countHidden) =>
      connection.read(function* (sql) {
        const found = new Map<AuthorKey, StoredComment>();
        for (const { earliest, keyOf, values } of waysOf(challengeId, authors, countHidden, which && [UNNUMBERED])) {
          for (const comment of yield* COMMENTS.select(sql, earliest, ...values)) found.set(keyOf(comment), comment);
        }
        return foundAmong(authors, found);
      }),

    ofAuthors: (challengeId, authors, countHidden) =>
      connection.read(function* (sql) {
        const found = new Map<AuthorKey, readonly StoredComment[]>();
        for (const { newest, keyOf, values } of waysOf(challengeId, authors, countHidden)) {
          const lists = yield* sql.all<{ ids: string | null }>(newest, ...values);
          const ids = new Among(lists.flatMap((one) => one.ids?.split(',').map(Number) ?? []));
          const comments = yield* COMMENTS.select(sql, WITH_IDS, ids);
          for (const [key, own] of Map.groupBy(comments, keyOf)) found.set(key, own);
        }
        return foundAmong(authors, found);
      }),

    firstOfTexts: (challengeId, keys) =>
      connection.read(function* (sql) {
        const sought = new Among(atMost(keys, 'texts'));
        // By the key that is stored: the text may be erased.
        const firsts = yield* sql.all<Row & { readonly text_key: string }>(EARLIEST_BY_TEXT, challengeId, sought);
        return new Map(firsts.map((row) => [row.text_key, COMMENTS.toItem(row)]));
      }),

    countAround: (challengeId, times, withinMs, most) =>
      connection.read(function* (sql) {
        const asked = new Among(atMost(times, 'times').map(millis));
        const values = [challengeId, withinMs, withinMs, most, asked];
        const rows = yield* sql.all<{ at: string; found: number }>(AROUND, ...values);
        return new Map(rows.map(({ at, found }) => [Number(at), found]));
      }),

    withhold: (challengeId, changes) =>
      connection.write(function* (sql) {
        if (Array.isArray(changes)) return yield* withhold(sql, challengeId, changes);
        const { unmetSince, now, topLevelOnly } = changes as UnmetSince;
        const unmet = `WHERE challenge_id = ? AND scoped_author_id IS NOT NULL AND coalesce(met_at, created_at) < ?
          AND withheld IS DISTINCT FROM 'removed' AND coalesce(visibility_at, 0) < ?
          ${topLevelOnly ? 'AND coalesce(is_reply, 0) = 0' : ''}`;
        const removed = { withheld: 'removed', visibilityAt: now } as const;
        yield* COMMENTS.update(sql, removed, unmet, challengeId, millis(unmetSince), millis(unmetSince));
      }),

    withheldSince: (challengeId, since, afterId = 0) =>
      connection.read((sql) => {
        const which = 'WHERE challenge_id = ? AND withheld IS NOT NULL AND (visibility_at, id) > (?, ?)';
        const rest = `${which} ORDER BY visibility_at, id LIMIT 1000`;
        return COMMENTS.select(sql, rest, challengeId, millis(since), afterId);
      }),

    sweep: async (challengeId) => (await sweepOf(challengeId))[0] ?? null,

    beginSweep: (start, last) => connection.write((sql) => beginSweep(sql, start, last)),

    async saveSweep(progress) {
      if (!(await connection.write((sql) => saveSweep(sql, progress)))) throw new SweepTakenOver();
    },
  };
}
