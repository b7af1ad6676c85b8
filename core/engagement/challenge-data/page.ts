/** What a page of comments says, for a walk over all of them. */
import type { PlatformComment } from '../../ports/platform.ts';
import type { NewComment, SweepProgress } from './comment.ts';

/** How many replies came inline, by comment. */
function inlineReplies(comments: readonly PlatformComment[]): ReadonlyMap<string, number> {
  const inline = new Map<string, number>();
  for (const { parentId } of comments) if (parentId !== null) inline.set(parentId, (inline.get(parentId) ?? 0) + 1);
  return inline;
}

/** Comments with more replies than came inline, or with an unknown number of them. */
export function openThreads(comments: readonly PlatformComment[]): SweepProgress['pendingReplies'] {
  const inline = inlineReplies(comments);
  return comments
    .filter(({ id, parentId, replyCount }) => parentId === null && (replyCount ?? Infinity) > (inline.get(id) ?? 0))
    .map(({ id }) => ({ commentId: id, cursor: null }));
}

/** Replies to comments that are not `known`, besides those that came inline. */
export function countUnread(comments: readonly PlatformComment[], known: ReadonlySet<string>): number {
  const isCounted = ({ parentId, replyCount }: PlatformComment) => parentId !== null || (replyCount ?? 0) > 0;
  const fresh = comments.filter((comment) => isCounted(comment) && !known.has(comment.id));
  const told = fresh.reduce((sum, { parentId, replyCount }) => sum + (parentId === null ? (replyCount ?? 0) : 0), 0);
  return Math.max(0, told - fresh.filter(({ parentId }) => parentId !== null).length);
}

/** As `countUnread`, comment by comment: inline replies to one comment do not make up for those of another. */
export function countTold(comments: readonly PlatformComment[], known: ReadonlySet<string>): number {
  const inline = inlineReplies(comments);
  return comments
    .filter(({ id, parentId, replyCount }) => parentId === null && (replyCount ?? 0) > 0 && !known.has(id))
    .reduce((sum, { id, replyCount }) => sum + Math.max(0, (replyCount ?? 0) - (inline.get(id) ?? 0)), 0);
}

/** The larger of two numbers, either of which may be unknown. */
export function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

export function toNewComment(comment: PlatformComment): NewComment {
  return {
    platformCommentId: comment.id,
    username: comment.username,
    // An empty one would be the same for all.
    authorId: comment.authorId || null,
    ...(comment.scopedAuthorId ? { scopedAuthorId: comment.scopedAuthorId } : {}),
    ...(comment.isHidden === undefined ? {} : { isHidden: comment.isHidden }),
    isReply: comment.parentId !== null,
    commentText: comment.text,
    commentedAt: comment.createdAt,
  };
}
