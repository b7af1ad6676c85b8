/** Comment and reply paging of the simulated Instagram, in the dialect of each endpoint. */

import type { WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { commentNode, restComment } from './media.ts';

/** What the logged-out query hands out, whatever was asked for. */
const LOGGED_OUT_PAGE = 24;
const REST_PAGE = 50;
const REPLIES_PAGE = 20;

/** `comments_connection` from the position behind `after`. Image posts promise comments on their page and hold none. */
export function connection(post: WorldPost, after: string | null, rule: FailureRule | null): unknown {
  const offset = after === null ? 0 : offsetOf(after);
  const { from, next, isEmpty } = step(offset, LOGGED_OUT_PAGE, post.thread.size, rule);
  const comments = isEmpty ? [] : post.thread.page(from, LOGGED_OUT_PAGE);
  return {
    edges: comments.map((comment, index) => ({
      node: unnamed(commentNode(comment), index, rule),
      cursor: textOf(from),
    })),
    page_info: { end_cursor: next === null ? null : textOf(next), has_next_page: next !== null },
  };
}

/** The first comment of a page loses its author when the rule says so. */
function unnamed(comment: object, index: number, rule: FailureRule | null): object {
  return index === 0 && rule?.shape === 'nameless-comment' ? { ...comment, user: null } : comment;
}

export function inlineConnection(post: WorldPost, rule: FailureRule | null): unknown {
  if (post.kind !== 'image' || post.thread.size === 0) return connection(post, null, rule);
  return { edges: [], page_info: { end_cursor: null, has_next_page: true } };
}

/** REST: most posts page by `next_min_id`, a JSON text; carousels by `next_max_id`. */
export function restComments(post: WorldPost, position: string | null, rule: FailureRule | null): unknown {
  const offset = position === null ? 0 : offsetOf(serverCursor(position));
  const { from, next, isEmpty } = step(offset, REST_PAGE, post.thread.size, rule);
  const comments = isEmpty ? [] : post.thread.page(from, REST_PAGE);
  const byMax = post.kind === 'carousel';
  const hasMore = next !== null;
  const cursor = JSON.stringify({ server_cursor: textOf(next ?? 0), is_server_cursor_inverse: true });
  return {
    comment_count: post.thread.total,
    comments: comments.map((comment, index) => {
      // Some comments come with their first reply, as on the real site; the rest has to be asked for.
      const preview = Number(comment.id.slice(-1)) % 2 === 0 ? (post.thread.replies(comment.id, 0, 1) ?? []) : [];
      return unnamed(restComment(comment, preview), index, rule);
    }),
    has_more_comments: byMax && hasMore,
    has_more_headload_comments: !byMax && hasMore,
    ...(hasMore ? (byMax ? { next_max_id: textOf(next) } : { next_min_id: cursor }) : {}),
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
  const offset = position === null || position === '' ? 0 : offsetOf(position);
  const { from, next, isEmpty } = step(offset, REPLIES_PAGE, count, rule);
  const replies = isEmpty ? [] : (post.thread.replies(commentId, from, REPLIES_PAGE) ?? []);
  const byMax = post.kind === 'carousel';
  const hasMore = next !== null;
  return {
    child_comment_count: count,
    child_comments: replies.map((reply, index) => unnamed(restComment(reply, []), index, rule)),
    has_more_tail_child_comments: byMax && hasMore,
    has_more_head_child_comments: !byMax && hasMore,
    ...(hasMore ? { [byMax ? 'next_max_child_cursor' : 'next_min_child_cursor']: textOf(next) } : {}),
    status: 'ok',
  };
}

/** Where this page begins and what its cursor points at, bent the way the rule says. */
function step(
  offset: number,
  size: number,
  total: number,
  rule: FailureRule | null,
): { readonly from: number; readonly next: number | null; readonly isEmpty: boolean } {
  const next = offset + size;
  switch (rule?.shape) {
    case 'repeated-cursor':
      return { from: offset, next: offset, isEmpty: false };
    case 'repeated-page':
      return { from: 0, next, isEmpty: false };
    case 'empty-page-with-more':
      return { from: offset, next, isEmpty: true };
    case 'ends-early':
      return { from: offset, next: null, isEmpty: false };
    case 'empty-list':
      return { from: offset, next: null, isEmpty: true };
    default:
      return { from: offset, next: next < total ? next : null, isEmpty: false };
  }
}

function textOf(offset: number): string {
  return Buffer.from(`position:${offset}`).toString('base64');
}

/** Zero for a cursor that this site did not hand out. */
function offsetOf(cursor: string): number {
  const match = /^position:(\d{1,9})$/.exec(Buffer.from(cursor, 'base64').toString('latin1'));
  return Number(match?.[1] ?? 0);
}

function serverCursor(position: string): string {
  if (!position.startsWith('{')) return position;
  try {
    return String((JSON.parse(position) as { server_cursor?: unknown }).server_cursor);
  } catch {
    return '';
  }
}
