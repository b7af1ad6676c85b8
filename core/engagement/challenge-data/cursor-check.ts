/** Notices platforms that lead in circles: a cursor that comes again, pages that hold nothing new. */

export interface CircleCheck {
  /** Takes note of a page, and whether it holds an id that no earlier page of these held. */
  page(holdsNew: boolean): void;
  /** False when this cursor was handed out before. */
  isNewCursor(cursor: string): boolean;
  /** True after too many pages in a row that were empty or repeated earlier ones. */
  stuck(): boolean;
}

/** Platforms filter a page to nothing, or show one twice while comments are added, and still have more behind it. */
const STALE_PAGES_IN_A_ROW = 3;

export function createCircleCheck(): CircleCheck {
  const cursors = new Set<string>();
  let stalePages = 0;
  return {
    page(holdsNew) {
      stalePages = holdsNew ? 0 : stalePages + 1;
    },
    isNewCursor(cursor) {
      const isNew = !cursors.has(cursor);
      cursors.add(cursor);
      return isNew;
    },
    stuck: () => stalePages >= STALE_PAGES_IN_A_ROW,
  };
}
