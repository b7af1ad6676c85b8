/**
 * The comments of a challenge, in parts of about 100,000 in the order of storing. The index by author begins with the part.
 * Authors come in no order, so each new comment changes another page of an index over all of them, and every commit writes those
 * pages. An index of one part has few pages: at 500,000 comments, storing some more takes a third less time. A search for an
 * author looks into each part, which takes about 2 µs.
 */
import { totalOf } from './list-totals.ts';
import type { Sql } from './statements.ts';

export const COMMENTS_IN_A_PART = 100_000;

/** A migration: what is stored stays in one part, whatever its size. */
export const COMMENT_PARTS = `
ALTER TABLE comments ADD COLUMN part INTEGER NOT NULL DEFAULT 0;
DROP INDEX comments_by_author;
CREATE INDEX comments_by_author ON comments (challenge_id, part, author, commented_at, id);
`;

/** The part for the next comments of the challenge. */
export function nextPart(sql: Sql, challengeId: number): number {
  return Math.floor(totalOf(sql, 'comments', challengeId).total / COMMENTS_IN_A_PART);
}

/** The parts of the challenge's comments, some maybe empty: at least one. */
export function partsOf(sql: Sql, challengeId: number): readonly number[] {
  const text = 'SELECT coalesce(max(part), 0) AS last FROM comments WHERE challenge_id = ?';
  return Array.from({ length: (sql.get<{ last: number }>(text, challengeId)?.last ?? 0) + 1 }, (_, part) => part);
}
