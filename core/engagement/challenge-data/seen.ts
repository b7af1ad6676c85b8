/** Notices platforms that lead in circles: a cursor that comes again, pages that hold nothing new. */

export interface CircleCheck {
  /** Takes note of a page; returns how many of its ids are new in this walk. */
  page(ids: readonly string[]): number;
  /** False when this cursor was handed out before. */
  isNewCursor(cursor: string): boolean;
  /** True after too many pages in a row that were empty or repeated earlier ones. */
  stuck(): boolean;
}

/** Platforms filter a page to nothing, or show one twice while comments are added, and still have more behind it. */
const STALE_PAGES_IN_A_ROW = 3;

export function createCircleCheck(): CircleCheck {
  const ids = new Set<string>();
  const cursors = new Set<string>();
  let stalePages = 0;
  return {
    page(pageIds) {
      const before = ids.size;
      for (const id of pageIds) ids.add(id);
      const fresh = ids.size - before;
      stalePages = fresh === 0 ? stalePages + 1 : 0;
      return fresh;
    },
    isNewCursor(cursor) {
      const isNew = !cursors.has(cursor);
      cursors.add(cursor);
      return isNew;
    },
    stuck: () => stalePages >= STALE_PAGES_IN_A_ROW,
  };
}
