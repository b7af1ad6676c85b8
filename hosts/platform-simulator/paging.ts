/** Paging that all sites share, and the ways in which a failure rule bends it. */
import type { WorldComment } from './comment-thread.ts';
import type { WorldPost } from './world.ts';
import type { FailureRule } from './world-inputs.ts';

/** A page, and whether it says that there is more. */
export interface Page<T> {
  readonly from: number;
  /** What the cursor of the page points at; null at the end. */
  readonly next: number | null;
  readonly entries: readonly T[];
}

/** The page of `size` entries from `offset` on, of `total` that `read` shows. */
export function pageOf<T>(
  offset: number,
  size: number,
  total: number,
  rule: FailureRule | null,
  read: (from: number, size: number) => readonly T[],
): Page<T> {
  const next = offset + size;
  const entries = read(offset, size);
  switch (rule?.shape) {
    case 'repeated-cursor':
      return { from: offset, next: offset, entries };
    case 'repeated-page':
      return { from: 0, next, entries: read(0, size) };
    case 'empty-page-with-more':
      return { from: offset, next, entries: [] };
    case 'ends-early':
      return { from: offset, next: null, entries };
    case 'empty-list':
      return { from: offset, next: null, entries: [] };
    default:
      return { from: offset, next: next < total ? next : null, entries };
  }
}

/** Which comments are asked for. */
export interface CommentsAsked {
  /** The comment whose replies are asked for; null for top-level comments. */
  readonly of: string | null;
  readonly offset: number;
  readonly size: number;
}

export interface CommentPage extends Page<WorldComment> {
  /** The comments in a shape; the first of them has lost its author if the rule says so. */
  as(shape: (comment: WorldComment) => object): readonly object[];
}

/** A page of comments, or of replies: an empty one if the post has no such comment. */
export function commentPage(
  { thread }: WorldPost,
  { of, offset, size }: CommentsAsked,
  rule: FailureRule | null,
): CommentPage {
  const total = of === null ? thread.size : (thread.replyCount(of) ?? 0);
  const page = pageOf(offset, size, total, rule, (from, count) =>
    of === null ? thread.page(from, count) : (thread.replies(of, from, count) ?? []),
  );
  const isNameless = rule?.shape === 'nameless-comment';
  return {
    ...page,
    as: (shape) =>
      page.entries.map((comment, index) => ({
        ...shape(comment),
        ...(isNameless && index === 0 ? { user: null } : {}),
      })),
  };
}

/** A place as an opaque cursor. */
export function cursorOf(offset: number): string {
  return Buffer.from(`position:${offset}`).toString('base64url');
}

/** Zero for a cursor that was not handed out. */
export function offsetOf(cursor: string | null): number {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
  return Number(/^position:(\d{1,9})$/.exec(text)?.[1] ?? 0);
}
