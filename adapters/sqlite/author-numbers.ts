/** The numbers of the accounts that wrote comments. Comments of earlier releases, and of lists that tell none, have no number. */
import type { NewComment, StoredComment } from '../../core/engagement/challenge-data/comment.ts';
import { normaliseHandle } from '../../core/platforms/handle.ts';
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

const INCOMPLETE = `SELECT id, platform_comment_id AS platformCommentId, username, author_id AS authorId FROM comments
  WHERE challenge_id = ? AND platform_comment_id IN (SELECT value FROM json_each(?))
    AND (author_id IS NULL OR username = '')`;

/** Gives stored comments without a number, or without a handle, the one that is told now. Returns how many got one. */
export function completeAuthors(sql: Sql, challengeId: number, comments: readonly NewComment[]): number {
  const told = new Map(comments.map((comment) => [comment.platformCommentId, comment]));
  const ids = JSON.stringify([...told.keys()]);
  const incomplete = sql.all<Incomplete>(INCOMPLETE, challengeId, ids).map((row) => {
    const comment = told.get(row.platformCommentId);
    const username = row.username || (comment?.username ?? '');
    return { row, username, authorId: row.authorId ?? comment?.authorId ?? null };
  });
  const completed = incomplete.filter((now) => now.authorId !== now.row.authorId || now.username !== now.row.username);
  for (const { row, username, authorId } of completed) {
    const author = normaliseHandle(username);
    sql.run(
      'UPDATE comments SET author_id = ?, username = ?, author = ? WHERE id = ?',
      authorId,
      username,
      author,
      row.id,
    );
  }
  return completed.length;
}

interface Incomplete extends Pick<StoredComment, 'platformCommentId' | 'username'> {
  readonly id: number;
  readonly authorId: string | null;
}
