import { atMost } from '../../core/bulk.ts';
import { type AuthorKey, keysOf, numberIn, numberKey } from '../../core/platforms/author-key.ts';
import type { CommentBatch, Link, MatchingProgress, MatchingStore } from '../../core/ports/matching-store.ts';
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

/** Seeks each author behind the last one: some write thousands of comments. */
function nextAuthors(column: 'author' | 'author_id'): string {
  return `WITH RECURSIVE found(challenge, author) AS (
    SELECT ?, (SELECT min(${column}) FROM comments WHERE challenge_id = ? AND ${column} > ?)
    UNION ALL SELECT challenge, (SELECT min(${column}) FROM comments WHERE challenge_id = challenge AND ${column} > found.author)
      FROM found WHERE author IS NOT NULL)
  SELECT author FROM found WHERE author IS NOT NULL LIMIT ?`;
}
const AUTHORS = nextAuthors('author');
const AUTHOR_NUMBERS = nextAuthors('author_id');

const nextLikers = (column: 'handle' | 'ig_user_id') =>
  `SELECT DISTINCT ${column} AS author FROM likers WHERE fetch_id = ? AND ${column} > ? ORDER BY ${column} LIMIT ?`;
const LIKERS = nextLikers('handle');
const LIKER_NUMBERS = nextLikers('ig_user_id');

const linkedBy = (condition: string) =>
  `SELECT creator_id AS creatorId FROM social_accounts WHERE ${condition} AND platform = ? AND disconnected_at IS NULL`;
const LINKED_BY_HANDLE = linkedBy('handle = ?');
const LINKED_BY_NUMBER = [linkedBy('platform_account_id = ?'), linkedBy('remembered_account_id = ?')];

/** The next keys after one of them: numbers, then handles. */
function nextKeys(
  after: AuthorKey | '',
  numbersAfter: (number: string) => readonly Author[],
  handlesAfter: (handle: string) => readonly Author[],
): readonly AuthorKey[] {
  const number = after === '' ? '' : numberIn(after);
  const numbers = number === null ? [] : numbersAfter(number);
  if (numbers.length > 0) return numbers.map(({ author }) => numberKey(author));
  return handlesAfter(number === null ? after : '').map(({ author }) => author);
}

interface Author {
  readonly author: string;
}

/** Notes comments that one write has just inserted: their ids follow one another, up to `lastId`. */
export function addBatch(sql: Sql, challengeId: number, added: number, lastId: number): void {
  if (added === 0) return;
  sql.run('INSERT INTO comment_batches VALUES (?, ?, ?)', challengeId, lastId - added + 1, lastId);
}

/** Lets the next run compare everything again. One that is under way saves no more. */
export function compareAnew(sql: Sql, challengeId: number): void {
  sql.run(
    `INSERT INTO matching_progress (challenge_id, rule, linked_up_to, handles_after, revision) VALUES (?, '', 0, '', 1)
      ON CONFLICT DO UPDATE SET rule = '', revision = revision + 1`,
    challengeId,
  );
}

const bounded = <T>(items: readonly T[]): readonly T[] => atMost(items, MOST, 'handles, ids or batches');

export function createMatchingStore(connection: Connection): MatchingStore {
  return {
    progress: (challengeId) =>
      connection.read(
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
      connection.read((sql) =>
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
          const rows = sql.all<Author & { readonly authorId: string | null }>(
            'SELECT author, author_id AS authorId FROM comments WHERE id BETWEEN ? AND ? AND +challenge_id = ?',
            firstId,
            lastId,
            challengeId,
          );
          for (const { author, authorId } of rows) for (const key of keysOf(author, authorId)) authors.add(key);
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
      connection.read((sql) => {
        const next = (query: string) => (last: string) => sql.all<Author>(query, challengeId, challengeId, last, limit);
        return nextKeys(after, next(AUTHOR_NUMBERS), next(AUTHORS));
      }),

    likers: (fetchId, after, limit) =>
      connection.read((sql) => {
        const next = (query: string) => (last: string) => sql.all<Author>(query, fetchId, last, limit);
        return nextKeys(after, next(LIKER_NUMBERS), next(LIKERS));
      }),

    lastLink: (platform) =>
      connection.read(
        (sql) =>
          sql.get<{ n: number }>(
            'SELECT coalesce(max(link_number), 0) AS n FROM social_accounts WHERE platform = ?',
            platform,
          )?.n ?? 0,
      ),

    links: (platform, after, limit) =>
      connection.read((sql) =>
        sql.all<Link>(
          `SELECT link_number AS number, creator_id AS creatorId, handle,
              coalesce(platform_account_id, remembered_account_id) AS accountId FROM social_accounts
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
        const some = await connection.read((sql) =>
          sql.get<{ readonly links: number; readonly last: number | null }>(SOME_LINKS, platform, from, wanted),
        );
        total += some?.links ?? 0;
        if (some === undefined || some.last === null || some.links < PIECE) return total;
        from = some.last;
      }
    },

    creatorsByAuthors: (platform, authors) =>
      connection.read((sql) => {
        const found = new Set<number>();
        for (const author of bounded(authors)) {
          const number = numberIn(author);
          for (const query of number === null ? [LINKED_BY_HANDLE] : LINKED_BY_NUMBER) {
            const rows = sql.all<{ creatorId: number }>(query, number ?? author, platform);
            for (const { creatorId } of rows) found.add(creatorId);
          }
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
