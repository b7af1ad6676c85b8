/** Paging that all sites share, and the ways in which a failure rule bends it. */
import type { FailureRule } from './world-inputs.ts';

/** Where a page begins, and whether it says that there is more. */
export interface Step {
  readonly from: number;
  /** What the cursor of the page points at; null at the end. */
  readonly next: number | null;
  readonly isEmpty: boolean;
}

/** The page of `size` entries from `offset` on. */
export function step(offset: number, size: number, total: number, rule: FailureRule | null): Step {
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

/** The entries of a page; the first of them has lost its author if the rule says so. */
export function named(entries: readonly object[], rule: FailureRule | null): readonly object[] {
  return entries.map((entry, index) =>
    index === 0 && rule?.shape === 'nameless-comment' ? { ...entry, user: null } : entry,
  );
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
