import { atMost } from '../../core/bulk.ts';
import type { CommentBatch, Link, MatchingProgress, MatchingStore } from '../../core/ports/matching-store.ts';
import { partsOf } from './comment-parts.ts';
import { LINKED_COLUMNS, type LinkedRow, toLinked } from './creator-rows.ts';
import type { Connection, Sql } from './database.ts';
import { integer } from './values.ts';

/** Most handles, ids or batches in one call. */
const MOST = 1_000;

const FIRST_SAVE = `INSERT INTO matching_progress (challenge_id, rule, linked_up_to, handles_after, revision)
  SELECT id, ?, ?, ?, ? FROM challenges WHERE id = ? ON CONFLICT DO NOTHING`;
const SAVE = `UPDATE matching_progress SET rule = ?, linked_up_to = ?, handles_after = ?, revision = ?
  WHERE challenge_id = ? AND revision = ?`;

/** Links that are counted in one turn of the event loop, about a millisecond. */
const PIECE = 10_000;
const SOME_LINKS = `SELECT count(*) AS links, max(number) AS last FROM (
  SELECT link_number AS number FROM social_accounts
    WHERE platform = ? AND link_number > ? AND disconnected_at IS NULL ORDER BY link_number LIMIT ?)`;

/**
 * Seeks each author behind the last one: some write thousands of comments. Of each part some; what comes behind the last one
 * of a part that has more waits for the next call.
 */
const NEXT_AUTHOR = 'SELECT min(author) FROM comments WHERE challenge_id = ? AND';
const AUTHORS = `WITH RECURSIVE found(part, author, place) AS (
    SELECT parts.value, (${NEXT_AUTHOR} part = parts.value AND author > ?), 1 FROM json_each(?) AS parts
    UNION ALL SELECT part, (${NEXT_AUTHOR} part = found.part AND author > found.author), place + 1
      FROM found WHERE author IS NOT NULL AND place < ?)
  SELECT DISTINCT author FROM found
    WHERE author <= coalesce((SELECT min(author) FROM found WHERE place = ?), author) ORDER BY author LIMIT ?`;

/** Notes comments that one write has just inserted: their ids follow one another, up to `lastId`. */
export function addBatch(sql: Sql, challengeId: number, added: number, lastId: number): void {
  if (added === 0) return;
  sql.run('INSERT INTO comment_batches VALUES (?, ?, ?)', challengeId, lastId - added + 1, lastId);
}

const bounded = <T>(items: readonly T[]): readonly T[] => atMost(items, MOST, 'handles, ids or batches');

export function createMatchingStore(connection: Connection): MatchingStore {
  return {
    progress: (challengeId) =>
      connection.lookUp(
        (sql): MatchingProgress | null =>
          sql.get<MatchingProgress>(
            `SELECT challenge_id AS challengeId, rule, linked_up_to AS linkedUpTo, handles_after AS handlesAfter, revision
              FROM matching_progress WHERE challenge_id = ?`,
            challengeId,
          ) ?? null,
      ),

    save: ({ challengeId, rule, linkedUpTo, handlesAfter, revision }) =>
      connection.write((sql) => {
        const values = [rule, linkedUpTo, handlesAfter, revision, challengeId];
        const { changes } = revision === 1 ? sql.run(FIRST_SAVE, ...values) : sql.run(SAVE, ...values, revision - 1);
        return changes === 1;
      }),

    newBatches: (challengeId) =>
      connection.lookUp((sql) =>
        sql
          .all<Omit<CommentBatch, 'isComplete'>>(
            'SELECT first_id AS firstId, last_id AS lastId FROM comment_batches WHERE challenge_id = ? ORDER BY first_id',
            challengeId,
          )
          // Comments and their batch are one transaction.
          .map((range): CommentBatch => ({ ...range, isComplete: true })),
      ),

    authorsIn: (challengeId, batches) =>
      connection.read((sql) => {
        const authors = new Set<string>();
        for (const { firstId, lastId } of bounded(batches)) {
          // The plus keeps SQLite on the range of ids.
          const rows = sql.all<{ author: string }>(
            'SELECT author FROM comments WHERE id BETWEEN ? AND ? AND +challenge_id = ?',
            firstId,
            lastId,
            challengeId,
          );
          for (const { author } of rows) authors.add(author);
        }
        return [...authors];
      }),

    settle: (challengeId, batches) =>
      connection.write((sql) => {
        for (const { firstId } of bounded(batches)) {
          sql.run('DELETE FROM comment_batches WHERE challenge_id = ? AND first_id = ?', challengeId, firstId);
        }
      }),

    authors: (challengeId, after, limit) =>
      connection.lookUp((sql) => {
        const parts = partsOf(sql, challengeId);
        const each = Math.ceil(limit / parts.length);
        const values = [challengeId, after, JSON.stringify(parts), challengeId, each, each, limit];
        return sql.all<{ author: string }>(AUTHORS, ...values).map(({ author }) => author);
      }),

    likers: (fetchId, after, limit) =>
      connection.lookUp((sql) =>
        sql
          .all<{ handle: string }>(
            'SELECT DISTINCT handle FROM likers WHERE fetch_id = ? AND handle > ? ORDER BY handle LIMIT ?',
            fetchId,
            after,
            limit,
          )
          .map(({ handle }) => handle),
      ),

    lastLink: (platform) =>
      connection.lookUp(
        (sql) =>
          sql.get<{ n: number }>(
            'SELECT coalesce(max(link_number), 0) AS n FROM social_accounts WHERE platform = ?',
            platform,
          )?.n ?? 0,
      ),

    links: (platform, after, limit) =>
      connection.lookUp((sql) =>
        sql.all<Link>(
          `SELECT link_number AS number, creator_id AS creatorId, handle FROM social_accounts
            WHERE platform = ? AND link_number > ? AND disconnected_at IS NULL ORDER BY link_number LIMIT ?`,
          platform,
          after,
          limit,
        ),
      ),

    async countLinks(platform, after, atMost) {
      const most = integer(atMost);
      for (let [total, from] = [0, after]; ; ) {
        const wanted = Math.min(most - total, PIECE);
        const some = await connection.lookUp((sql) =>
          sql.get<{ readonly links: number; readonly last: number | null }>(SOME_LINKS, platform, from, wanted),
        );
        total += some?.links ?? 0;
        if (some === undefined || some.last === null || some.links < PIECE) return total;
        from = some.last;
      }
    },

    creatorsByHandles: (platform, handles) =>
      connection.read((sql) => {
        const found = new Set<number>();
        for (const handle of bounded(handles)) {
          const rows = sql.all<{ creatorId: number }>(
            `SELECT creator_id AS creatorId FROM social_accounts
              WHERE handle = ? AND platform = ? AND disconnected_at IS NULL`,
            handle,
            platform,
          );
          for (const { creatorId } of rows) found.add(creatorId);
        }
        return [...found];
      }),

    linksOf: (platform, creatorIds) =>
      connection.read((sql) =>
        [...new Set(bounded(creatorIds))]
          .sort((a, b) => a - b)
          .flatMap((creatorId) =>
            sql.all<LinkedRow>(
              `SELECT ${LINKED_COLUMNS} FROM social_accounts a JOIN creators c ON c.id = a.creator_id
                WHERE a.creator_id = ? AND a.platform = ? AND a.disconnected_at IS NULL ORDER BY a.id`,
              creatorId,
              platform,
            ),
          )
          .map(toLinked),
      ),
  };
}
