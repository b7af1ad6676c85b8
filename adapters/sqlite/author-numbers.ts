/** The numbers of the accounts that wrote comments. Comments of earlier releases, and of lists that tell none, have no number. */
import type { NewComment } from '../../core/engagement/challenge-data/comment.ts';
import type { Sql } from './statements.ts';

/** A migration. The index of one part has few pages, as the one of handles (`comment-parts.ts`). */
export const AUTHOR_NUMBERS = `
ALTER TABLE comments ADD COLUMN author_id TEXT;
CREATE INDEX comments_by_author_id ON comments (challenge_id, part, author_id, commented_at, id)
  WHERE author_id IS NOT NULL;
ALTER TABLE sweeps ADD COLUMN unnumbered INTEGER;
ALTER TABLE sweeps ADD COLUMN unnamed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE social_accounts ADD COLUMN remembered_account_id TEXT;
CREATE INDEX accounts_by_remembered_id ON social_accounts (platform, remembered_account_id)
  WHERE remembered_account_id IS NOT NULL;
`;

const WITHOUT = `SELECT id, platform_comment_id AS platformCommentId FROM comments
  WHERE challenge_id = ? AND platform_comment_id IN (SELECT value FROM json_each(?)) AND author_id IS NULL`;

/** Gives stored comments without a number the one that is told now. Returns how many got one. */
export function addNumbers(sql: Sql, challengeId: number, comments: readonly NewComment[]): number {
  const numbers = new Map(comments.map(({ platformCommentId, authorId }) => [platformCommentId, authorId ?? null]));
  const without = sql.all<{ readonly id: number; readonly platformCommentId: string }>(
    WITHOUT,
    challengeId,
    JSON.stringify([...numbers.keys()]),
  );
  const told = without.filter(({ platformCommentId }) => numbers.get(platformCommentId) != null);
  for (const { id, platformCommentId } of told) {
    sql.run('UPDATE comments SET author_id = ? WHERE id = ?', numbers.get(platformCommentId) ?? null, id);
  }
  return told.length;
}
