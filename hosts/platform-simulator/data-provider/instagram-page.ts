/** The provider's pages of Instagram comments: 15 at a time, the end told by a missing cursor. */

import { claimsMore, isEmptied, named, type PagingTrick } from '../tiktok/comments.ts';
import type { WorldPost } from '../world.ts';
import { instagramComment } from './shapes.ts';

const PAGE = 15;

/** Replies to `commentId`, or top-level comments for null. Only pages of replies say `has_more`. */
export function instagramPage(
  post: WorldPost,
  commentId: string | null,
  cursor: string | null,
  trick: PagingTrick,
): Readonly<Record<string, unknown>> {
  const offset = cursor === null ? 0 : offsetOf(cursor);
  const start = trick === 'repeated-page' ? 0 : offset;
  const total = commentId === null ? post.thread.size : (post.thread.replyCount(commentId) ?? 0);
  const listed =
    commentId === null ? post.thread.page(start, PAGE) : (post.thread.replies(commentId, start, PAGE) ?? []);
  const hasMore = claimsMore(trick, start + PAGE < total);
  const next = trick === 'repeated-cursor' ? offset : offset + PAGE;
  return {
    comments: isEmptied(trick) ? [] : listed.map((comment, index) => named(instagramComment(comment), index, trick)),
    cursor: hasMore ? cursorOf(next) : null,
    ...(commentId === null ? {} : { has_more: hasMore }),
  };
}

function cursorOf(offset: number): string {
  return Buffer.from(`provider:${offset}`).toString('base64');
}

/** Zero for a cursor that this site did not hand out. */
function offsetOf(cursor: string): number {
  return Number(/^provider:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64').toString('latin1'))?.[1] ?? 0);
}
