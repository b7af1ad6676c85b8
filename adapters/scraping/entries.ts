/** Lists whose entries are read one by one: what cannot be read is left out and counted, and a list that has changed is refused. */
import { asText } from './json.ts';

/**
 * An entry that was read; `unreadable` for one that the platform shows without what it needs (no author, no text). `drifted`
 * for one of another shape; `misplaced` for one of another list; `nobodys` for one that belongs to nobody any more.
 */
export type Entry<T> = { readonly read: T } | 'unreadable' | 'drifted' | 'misplaced' | 'nobodys';

/** The author of an entry, or a liker. `username` is empty if only the number of the account is shown. */
export interface Author {
  readonly username: string;
  readonly authorId: string | null;
}

/** Of an account that shows `handle` and the number `authorId`: one of them is enough. A handle is no longer than `most`. */
export function readAuthor(handle: unknown, authorId: string | null, most: number): Author | 'unreadable' | 'drifted' {
  const isShown = handle !== undefined && handle !== null && handle !== '';
  if (!isShown && authorId !== null) return { username: '', authorId };
  if (handle === '') return 'unreadable';
  const username = asText(handle, most);
  return username === null ? 'drifted' : { username, authorId };
}

/** How many of these show nothing but a number: a handle cannot be compared with them. */
export function countUnnamed(authors: readonly Pick<Author, 'username'>[]): number {
  return authors.filter(({ username }) => username === '').length;
}

/** The entries of a list that could be read. */
export interface ReadEntries<T> {
  readonly entries: readonly T[];
  /** How many exist and could not be read. */
  readonly skipped: number;
}

/** Where a page of a list stands. */
export interface ListPlace {
  /** The list continues or belongs to one that was read, whose shape is known to be good. */
  readonly isLater: boolean;
}

/** This many entries without an author and none with one: the field has gone, not the people. */
const MOST_UNREADABLE = 2;

/**
 * One bad entry never costs its neighbours. Null if none can be read because the list as a whole has drifted, or is another
 * one. A later page is refused only if it is another list's. Its unreadable entries count as skipped, since a refusal would lose
 * the cursor and every page behind it.
 */
export function readEntries<T>(
  list: readonly unknown[],
  read: (entry: unknown) => Entry<T>,
  { isLater }: ListPlace = { isLater: false },
): ReadEntries<T> | null {
  const outcomes = list.map(read);
  // A list in the place of an entry hides as many as it holds.
  const nested = list.reduce(
    (sum: number, entry) => sum + (Array.isArray(entry) ? Math.max(0, entry.length - 1) : 0),
    0,
  );
  const entries = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? [outcome.read] : []));
  const count = (kind: Entry<T>) => outcomes.filter((outcome) => outcome === kind).length;
  const [drifted, unreadable, misplaced] = [count('drifted'), count('unreadable'), count('misplaced')];
  const hasDrifted = !isLater && (drifted > 0 || unreadable > MOST_UNREADABLE);
  if (entries.length === 0 && (misplaced > 0 || hasDrifted)) return null;
  return { entries, skipped: drifted + unreadable + misplaced + nested };
}
