/** The provider's pages of Instagram comments: 15 at a time, the end told by a missing cursor. */
import { cursorOf, named, offsetOf, step } from '../paging.ts';
import type { WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { instagramComment } from './shapes.ts';

const PAGE = 15;

/** Replies to `commentId`, or top-level comments for null. Only pages of replies say `has_more`. */
export function instagramPage(
  { thread }: WorldPost,
  commentId: string | null,
  cursor: string | null,
  rule: FailureRule | null,
): Readonly<Record<string, unknown>> {
  const total = commentId === null ? thread.size : (thread.replyCount(commentId) ?? 0);
  const { from, next, isEmpty } = step(offsetOf(cursor), PAGE, total, rule);
  const listed = commentId === null ? thread.page(from, PAGE) : (thread.replies(commentId, from, PAGE) ?? []);
  return {
    comments: isEmpty ? [] : named(listed.map(instagramComment), rule),
    cursor: next === null ? null : cursorOf(next),
    ...(commentId === null ? {} : { has_more: next !== null }),
  };
}
