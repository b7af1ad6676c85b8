/** Lists whose entries are read one by one: what cannot be read is left out and counted, and a list that has changed is refused. */

/**
 * An entry that was read; `unreadable` for one that the platform shows without what it needs (no author, no text). `drifted`
 * for one of another shape; `nobodys` for one that belongs to nobody any more.
 */
export type Entry<T> = { readonly read: T } | 'unreadable' | 'drifted' | 'nobodys';

/** The entries of a list that could be read. */
export interface ReadEntries<T> {
  readonly entries: readonly T[];
  /** How many exist and could not be read. */
  readonly skipped: number;
}

/** This many entries without an author and none with one: the field has gone, not the people. */
const MOST_UNREADABLE = 2;

/**
 * One bad entry never costs its neighbours. Null when no entry can be read and that is not the entries' own matter: the
 * list as a whole has drifted.
 */
export function readEntries<T>(list: readonly unknown[], read: (entry: unknown) => Entry<T>): ReadEntries<T> | null {
  const outcomes = list.map(read);
  const entries = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? [outcome.read] : []));
  const drifted = outcomes.filter((outcome) => outcome === 'drifted').length;
  const unreadable = outcomes.filter((outcome) => outcome === 'unreadable').length;
  if (entries.length === 0 && (drifted > 0 || unreadable > MOST_UNREADABLE)) return null;
  return { entries, skipped: drifted + unreadable };
}
