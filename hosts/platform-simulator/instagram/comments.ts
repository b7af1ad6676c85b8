/** Comment and reply paging of the simulated Instagram, in the dialect of each endpoint. */
import { cursorOf, named, offsetOf, step } from '../paging.ts';
import type { WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { commentNode, restComment } from './media.ts';

/** What the logged-out query hands out, whatever was asked for. */
const LOGGED_OUT_PAGE = 24;
const REST_PAGE = 50;
const REPLIES_PAGE = 20;

/** `comments_connection` from the position behind `after`. Image posts promise comments on their page and hold none. */
export function connection(post: WorldPost, after: string | null, rule: FailureRule | null): unknown {
  const { from, next, isEmpty } = step(offsetOf(after), LOGGED_OUT_PAGE, post.thread.size, rule);
  const comments = isEmpty ? [] : post.thread.page(from, LOGGED_OUT_PAGE);
  return {
    edges: named(comments.map(commentNode), rule).map((node) => ({ node, cursor: cursorOf(from) })),
    page_info: { end_cursor: next === null ? null : cursorOf(next), has_next_page: next !== null },
  };
}

export function inlineConnection(post: WorldPost, rule: FailureRule | null): unknown {
  if (post.kind !== 'image' || post.thread.size === 0) return connection(post, null, rule);
  return { edges: [], page_info: { end_cursor: null, has_next_page: true } };
}

/** REST: most posts page by `next_min_id`, a JSON text; carousels by `next_max_id`. */
export function restComments(post: WorldPost, position: string | null, rule: FailureRule | null): unknown {
  const offset = offsetOf(serverCursor(position));
  const { from, next, isEmpty } = step(offset, REST_PAGE, post.thread.size, rule);
  const comments = isEmpty ? [] : post.thread.page(from, REST_PAGE);
  const byMax = post.kind === 'carousel';
  const hasMore = next !== null;
  const cursor = JSON.stringify({ server_cursor: cursorOf(next ?? 0), is_server_cursor_inverse: true });
  return {
    comment_count: post.thread.total,
    comments: named(
      comments.map((comment) => {
        // Some comments come with their first reply, as on the real site; the rest has to be asked for.
        const preview = Number(comment.id.slice(-1)) % 2 === 0 ? (post.thread.replies(comment.id, 0, 1) ?? []) : [];
        return restComment(comment, preview);
      }),
      rule,
    ),
    has_more_comments: byMax && hasMore,
    has_more_headload_comments: !byMax && hasMore,
    ...(hasMore ? (byMax ? { next_max_id: cursorOf(next) } : { next_min_id: cursor }) : {}),
    threading_enabled: true,
    status: 'ok',
  };
}

/** Null for a comment the post does not have. */
export function restReplies(
  post: WorldPost,
  commentId: string,
  position: string | null,
  rule: FailureRule | null,
): unknown {
  const count = post.thread.replyCount(commentId);
  if (count === null) return null;
  const { from, next, isEmpty } = step(offsetOf(position), REPLIES_PAGE, count, rule);
  const replies = isEmpty ? [] : (post.thread.replies(commentId, from, REPLIES_PAGE) ?? []);
  const byMax = post.kind === 'carousel';
  const hasMore = next !== null;
  return {
    child_comment_count: count,
    child_comments: named(
      replies.map((reply) => restComment(reply, [])),
      rule,
    ),
    has_more_tail_child_comments: byMax && hasMore,
    has_more_head_child_comments: !byMax && hasMore,
    ...(hasMore ? { [byMax ? 'next_max_child_cursor' : 'next_min_child_cursor']: cursorOf(next) } : {}),
    status: 'ok',
  };
}

function serverCursor(position: string | null): string | null {
  if (position?.startsWith('{') !== true) return position;
  try {
    return String((JSON.parse(position) as { server_cursor?: unknown }).server_cursor);
  } catch {
    return '';
  }
}
