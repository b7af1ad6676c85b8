/** Notices platforms that lead in circles: a cursor that comes again, pages that hold nothing new. */

/** Platforms filter a page to nothing, or show one twice while comments are added, and still have more behind it. */
const STALE_PAGES_IN_A_ROW = 3;

/** On, back to a cursor that was there, or on and on without anything new. */
export type Direction = 'ok' | 'back' | 'stale';

export class CircleCheck {
  readonly #cursors = new Set<string>();
  readonly #ids = new Set<string>();
  #stalePages = 0;

  /** Takes note of a page. Returns whether it holds an id that no earlier one held. */
  page(ids: readonly string[]): boolean {
    const before = this.#ids.size;
    for (const id of ids) this.#ids.add(id);
    const holdsNew = this.#ids.size > before;
    this.#stalePages = holdsNew ? 0 : this.#stalePages + 1;
    return holdsNew;
  }

  /** Takes note of a cursor. Returns where it leads after these pages. */
  direction(cursor: string | null): Direction {
    if (cursor === null) return 'ok';
    const isKnown = this.#cursors.has(cursor);
    this.#cursors.add(cursor);
    if (isKnown) return 'back';
    return this.#stalePages >= STALE_PAGES_IN_A_ROW ? 'stale' : 'ok';
  }
}
