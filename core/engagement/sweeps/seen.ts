/** Notices platforms that lead in circles: a cursor that comes again, pages that hold nothing new. */

export interface CircleCheck {
  /** Takes note of a page; returns how many of its ids are new in this walk. */
  page(ids: readonly string[]): number;
  /** False when this cursor was handed out before. */
  isNewCursor(cursor: string): boolean;
  /** True when the last page repeated earlier ones, or too many empty pages came in a row. */
  stuck(): boolean;
}

/** Some platforms filter a page to nothing and still have more; for ever is another matter. */
const EMPTY_PAGES_IN_A_ROW = 3;

export function createCircleCheck(): CircleCheck {
  const ids = new Set<string>();
  const cursors = new Set<string>();
  let emptyPages = 0;
  let repeated = false;
  return {
    page(pageIds) {
      const before = ids.size;
      for (const id of pageIds) ids.add(id);
      const fresh = ids.size - before;
      emptyPages = pageIds.length === 0 ? emptyPages + 1 : 0;
      repeated = pageIds.length > 0 && fresh === 0;
      return fresh;
    },
    isNewCursor(cursor) {
      const isNew = !cursors.has(cursor);
      cursors.add(cursor);
      return isNew;
    },
    stuck: () => repeated || emptyPages >= EMPTY_PAGES_IN_A_ROW,
  };
}
