/** Lists whose entries are read one by one: what cannot be read is left out and counted, and a list that has changed is refused. */
import type { PlatformComment } from '../../core/ports/platform.ts';
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

/** The entries of a list that could be read. */
export interface ReadEntries<T> {
  readonly entries: readonly T[];
  /** How many exist and could not be read. */
  readonly skipped: number;
}

/** This many entries without an author and none with one: the field has gone, not the people. */
const MOST_UNREADABLE = 2;

/**
 * One bad entry never costs its neighbours. Null if none can be read because the list as a whole has drifted, or is another
 * one. With `isLater` the list continues or belongs to one that was read, whose shape is known to be good: it is refused only if it
 * is another list's. Its unreadable entries count as skipped, since a refusal would lose the cursor and every page behind it.
 */
export function readEntries<T>(
  list: readonly unknown[],
  read: (entry: unknown) => Entry<T>,
  isLater = false,
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

/** Where a list of comments is read on; `P` is the platform's own cursor. */
export interface ReadPlace<P = string> {
  /** The comment whose replies are asked for; null for those of the post. */
  readonly parentId: string | null;
  /** Null for the first page. */
  readonly after: P | null;
}

/** Comments of a list, and how many exist that could not be read. */
export interface CommentList {
  readonly comments: readonly PlatformComment[];
  readonly skipped: number;
}

/** How the comments of one list are read. */
export interface ThreadReader {
  /** Reads a comment, or a reply to `parentId`. */
  read(entry: unknown, parentId: string | null): Entry<PlatformComment>;
  /** The replies that came with a top-level comment. */
  inlineOf(entry: unknown): unknown;
}

/** More of them in one answer are a mistake. */
const MAX_COMMENTS = 2_000;

/** Reads comments, each with the replies that came with it. Null as `readPage`. */
export function readThreads(list: unknown, place: ReadPlace<unknown>, reader: ThreadReader): CommentList | null {
  return readPage(list, place, (entry) => readThread(entry, place.parentId, reader));
}

/**
 * Reads entries that are comments with their replies. `skipped` counts those that nobody's handle can be compared with. Null for
 * what is no list, and as `readEntries`.
 */
export function readPage(
  list: unknown,
  { parentId, after }: ReadPlace<unknown>,
  read: (entry: unknown) => Entry<CommentList>,
): CommentList | null {
  const page = joinEntries(list, read, after !== null || parentId !== null);
  return page && { ...page, skipped: page.skipped + page.comments.filter(({ username }) => username === '').length };
}

/** The comments of all entries. Null for what is no list, and as `readEntries`. */
export function joinEntries(
  list: unknown,
  read: (entry: unknown) => Entry<CommentList>,
  isLater = false,
): CommentList | null {
  if (!Array.isArray(list) || list.length > MAX_COMMENTS) return null;
  const lists = readEntries(list, read, isLater);
  if (lists === null) return null;
  return {
    comments: lists.entries.flatMap(({ comments }) => comments),
    skipped: lists.entries.reduce((sum, { skipped }) => sum + skipped, lists.skipped),
  };
}

function readThread(entry: unknown, parentId: string | null, reader: ThreadReader): Entry<CommentList> {
  const comment = reader.read(entry, parentId);
  if (typeof comment !== 'object') return comment;
  if (parentId !== null) return { read: { comments: [comment.read], skipped: 0 } };
  const replies = joinEntries(reader.inlineOf(entry) ?? [], (reply) => readThread(reply, comment.read.id, reader));
  // They have a list of their own, which is asked for if their number is not known.
  if (replies === null) return { read: { comments: [{ ...comment.read, replyCount: null }], skipped: 0 } };
  return { read: { comments: [comment.read, ...replies.comments], skipped: replies.skipped } };
}
