/** `/api/comment/list/` and `/api/comment/list/reply/`. */
import type { WorldComment } from '../comment-thread.ts';
import { json, type SiteAnswer } from '../site.ts';
import type { WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';

/** Paging tricks that a failure rule may ask for. */
const TRICKS = [
  'repeated-cursor',
  'repeated-page',
  'empty-page-with-more',
  'ends-early',
  'empty-list',
  'nameless-comment',
] as const;
export type PagingTrick = (typeof TRICKS)[number] | null;

/** The trick that a rule asks for, or null. */
export function trickOf(rule: FailureRule | null): PagingTrick {
  return TRICKS.find((trick) => trick === rule?.shape) ?? null;
}

/** Whether a page under a trick claims that there is more; `hasMore` is the truth. */
export function claimsMore(trick: PagingTrick, hasMore: boolean): boolean {
  if (trick === 'ends-early' || trick === 'empty-list') return false;
  return hasMore || (trick !== null && trick !== 'nameless-comment');
}

export const isEmptied = (trick: PagingTrick): boolean => trick === 'empty-page-with-more' || trick === 'empty-list';

/** The first entry of a page without its author, under that trick. */
export function named(entry: object, index: number, trick: PagingTrick): object {
  return index === 0 && trick === 'nameless-comment' ? { ...entry, user: null } : entry;
}

/** One page of top-level comments. `cursor` is what an earlier page handed out. */
export function commentList(post: WorldPost, cursor: number, count: number, trick: PagingTrick): SiteAnswer {
  // The first page is one short of `count` while its cursor says `count`, as seen on a real post. A reader that counts
  // items itself reads one comment twice.
  const start = trick === 'repeated-page' || cursor === 0 ? 0 : cursor - 1;
  const limit = cursor === 0 ? count - 1 : count;
  const comments = post.thread.page(start, limit);
  return listBody({
    comments: comments.map((comment) => listed(post, comment)),
    cursor: cursor + count,
    hasMore: start + limit < post.thread.size,
    asked: cursor,
    total: post.thread.total,
    trick,
  });
}

/** One page of replies, or an empty one when the post has no such comment. */
export function replyList(
  post: WorldPost,
  commentId: string,
  cursor: number,
  count: number,
  trick: PagingTrick,
): SiteAnswer {
  const start = trick === 'repeated-page' ? 0 : cursor;
  const replies = post.thread.replies(commentId, start, count) ?? [];
  const total = post.thread.replyCount(commentId) ?? 0;
  return listBody({
    comments: replies.map((reply) => listed(post, reply)),
    cursor: cursor + count,
    hasMore: start + count < total,
    asked: cursor,
    total,
    trick,
  });
}

function listBody(page: {
  comments: readonly object[];
  cursor: number;
  hasMore: boolean;
  asked: number;
  total: number;
  trick: PagingTrick;
}): SiteAnswer {
  const isEmpty = page.comments.length === 0 || isEmptied(page.trick);
  return json({
    alias_comment_deleted: false,
    comments: isEmpty ? null : page.comments.map((comment, index) => named(comment, index, page.trick)),
    cursor: page.trick === 'repeated-cursor' ? page.asked : page.cursor,
    extra: { fatal_item_ids: null, now: 1_780_000_000_000 },
    has_more: claimsMore(page.trick, page.hasMore) ? 1 : 0,
    has_filtered_comments: 0,
    status_code: 0,
    status_msg: '',
    total: page.total,
  });
}

function listed(post: WorldPost, comment: WorldComment): object {
  const isTopLevel = comment.parentId === null;
  return {
    aweme_id: post.contentId,
    cid: comment.id,
    create_time: comment.createdAt,
    digg_count: comment.likes,
    image_list: null,
    reply_comment: null,
    ...(isTopLevel ? { reply_comment_total: comment.replies } : {}),
    reply_id: comment.parentId ?? '0',
    reply_to_reply_id: '0',
    status: 1,
    text: comment.text,
    text_extra: [],
    user: {
      uid: comment.accountId,
      unique_id: comment.handle,
      sec_uid: `MS4wLjABAAAA${comment.accountId}`,
      nickname: comment.displayName,
    },
    user_digged: 0,
  };
}
