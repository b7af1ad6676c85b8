/** Comment and reply paging of the simulated Instagram, in the dialect of each endpoint. */
import { commentPage, cursorOf, offsetOf } from '../paging.ts';
import type { WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { commentNode, restComment } from './media.ts';

/** What the logged-out query hands out, whatever was asked for. */
const LOGGED_OUT_PAGE = 24;
const REST_PAGE = 50;
const REPLIES_PAGE = 20;

/** `comments_connection` from the position behind `after`. Image posts promise comments on their page and hold none. */
export function connection(post: WorldPost, after: string | null, rule: FailureRule | null): unknown {
  const page = commentPage(post, { of: null, offset: offsetOf(after), size: LOGGED_OUT_PAGE }, rule);
  const { from, next } = page;
  return {
    edges: page.as(commentNode).map((node) => ({ node, cursor: cursorOf(from) })),
    page_info: { end_cursor: next === null ? null : cursorOf(next), has_next_page: next !== null },
  };
}

export function inlineConnection(post: WorldPost, rule: FailureRule | null): unknown {
  if (post.kind !== 'image' || post.thread.size === 0) return connection(post, null, rule);
  return { edges: [], page_info: { end_cursor: null, has_next_page: true } };
}

/** REST: most posts page by `next_min_id`, a JSON text; carousels by `next_max_id`. */
export function restComments(post: WorldPost, position: string | null, rule: FailureRule | null): unknown {
  const { thread } = post;
  const page = commentPage(post, { of: null, offset: offsetOf(serverCursor(position)), size: REST_PAGE }, rule);
  const byMax = post.kind === 'carousel';
  const hasMore = page.next !== null;
  const cursor = cursorOf(page.next ?? 0);
  const serverJson = JSON.stringify({ server_cursor: cursor });
  return {
    comment_count: thread.total,
    comments: page.as((comment) => {
      // Some comments come with their first reply, as on the real site; the rest has to be asked for.
      const preview = Number(comment.id.slice(-1)) % 2 === 0 ? (thread.replies(comment.id, 0, 1) ?? []) : [];
      return restComment(comment, preview);
    }),
    has_more_comments: byMax && hasMore,
    has_more_headload_comments: !byMax && hasMore,
    ...(hasMore ? (byMax ? { next_max_id: cursor } : { next_min_id: serverJson }) : {}),
    status: 'ok',
  };
}

/** Null for a comment the post does not have. */
export function restReplies(
  post: WorldPost,
  of: string,
  position: string | null,
  rule: FailureRule | null,
  { size, byMax } = { size: REPLIES_PAGE, byMax: post.kind === 'carousel' },
): unknown {
  const count = post.thread.replyCount(of);
  if (count === null) return null;
  const page = commentPage(post, { of, offset: offsetOf(position), size }, rule);
  const hasMore = page.next !== null;
  return {
    child_comment_count: count,
    child_comments: page.as(restComment),
    has_more_tail_child_comments: byMax && hasMore,
    has_more_head_child_comments: !byMax && hasMore,
    ...(hasMore ? { [byMax ? 'next_max_child_cursor' : 'next_min_child_cursor']: cursorOf(page.next ?? 0) } : {}),
    status: 'ok',
  };
}

function serverCursor(position: string | null): string | null {
  return /"server_cursor":"(.*)"/.exec(position ?? '')?.[1] ?? position;
}
