/** `/api/comment/list/` and `/api/comment/list/reply/`. */
import type { WorldComment } from '../comment-thread.ts';
import { json, type SiteAnswer } from '../messages.ts';
import { commentPage } from '../paging.ts';
import type { WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';

/** A page of comments, or with `commentId` of replies: an empty one if the post has no such comment. `cursor` is what an earlier page handed out. */
export function commentList(
  post: WorldPost,
  commentId: string | null,
  cursor: number,
  count: number,
  rule: FailureRule | null,
): SiteAnswer {
  const { thread } = post;
  // The first page is one short of `count` while its cursor says `count`, as seen on a real post. A reader that counts
  // items itself reads one comment twice.
  const isShort = commentId === null && cursor === 0;
  const offset = commentId === null ? Math.max(0, cursor - 1) : cursor;
  const size = isShort ? count - 1 : count;
  const page = commentPage(post, { of: commentId, offset, size }, rule);
  return json({
    comments: page.entries.length === 0 ? null : page.as((comment) => listed(post, comment)),
    cursor: rule?.shape === 'repeated-cursor' ? cursor : cursor + count,
    has_more: page.next === null ? 0 : 1,
    status_code: 0,
    status_msg: '',
    total: commentId === null ? thread.total : (thread.replyCount(commentId) ?? 0),
  });
}

function listed(post: WorldPost, comment: WorldComment): object {
  const isTopLevel = comment.parentId === null;
  return {
    aweme_id: post.contentId,
    cid: comment.id,
    create_time: comment.createdAt,
    digg_count: comment.likes,
    reply_comment: null,
    ...(isTopLevel ? { reply_comment_total: comment.replies } : {}),
    reply_id: comment.parentId ?? '0',
    text: comment.text,
    user: { uid: comment.accountId, unique_id: comment.handle },
  };
}
