/** Comments and replies as Instagram lists them. */
import type { PlatformComment } from '../../core/ports/platform.ts';
import {
  asCount,
  asDigits,
  asText,
  asUnixTime,
  type CommentList,
  type Entry,
  field,
  isObject,
  type JsonObject,
  joinEntries,
  type ReadPlace,
  readAuthor,
  readPage,
} from '../scraping/index.ts';
import { isOfAnotherPost } from './post-address.ts';
import { numberOf } from './profile-fields.ts';
import { drifted } from './refusals.ts';

/** The platform's own limit is 2200 characters; markup and emoji may add to it. */
const MAX_TEXT = 20_000;

interface ListOptions {
  /** The number of the post that was asked for. */
  readonly mediaPk: string;
  readonly replies: 'zero-when-absent' | 'unknown-when-absent';
  /** Someone beside this list is named in the way that is read here. */
  readonly isNamedBeside?: boolean;
}

interface ThreadOptions extends ListOptions {
  readonly parentId: string | null;
}

/**
 * A page's list, without comments that name no account: those are nobody's. `replies: 'zero-when-absent'` is the
 * dialect of REST, which leaves a count of zero out; elsewhere a missing count is not known.
 * @throws `PLATFORM_UNAVAILABLE` (`drifted`) when the list cannot be read, or none of the entries of a first page
 */
export function readCommentList(list: unknown, place: ReadPlace<unknown>, options: ListOptions): CommentList {
  // The pages before this one named their authors.
  const isNamedBeside = place.after !== null || options.isNamedBeside === true;
  const isNamed = isNamedBeside || (Array.isArray(list) && list.some((entry) => isObject(field(entry, 'user'))));
  const { parentId } = place;
  const page = readPage(list, place, (entry) => readThread(entry, { ...options, parentId, isNamedBeside: isNamed }));
  if (page === null) throw drifted('comments');
  return page;
}

/** A comment and the replies that came with it. */
function readThread(entry: unknown, options: ThreadOptions): Entry<CommentList> {
  if (!isObject(entry)) return 'drifted';
  if (isOfAnotherPost(entry, options.mediaPk)) return 'misplaced';
  if (options.isNamedBeside === true && lacksAuthor(entry)) return readRepliesOnly(entry, options);
  const id = asDigits(entry.pk);
  const author = readAuthor(field(entry, 'user', 'username'), numberOf(entry.user), 100);
  if (entry.user === null || author === 'unreadable') return 'unreadable';
  const createdAt = asUnixTime(entry.created_at ?? entry.created_at_utc);
  // The text of a comment that is only an image is null.
  const text = entry.text === null ? '' : asText(entry.text, MAX_TEXT);
  const parentId = options.parentId ?? asDigits(entry.parent_comment_id);
  const inline = readInline(entry, id, parentId, options);
  if (id === null || author === 'drifted' || createdAt === null || text === null) return 'drifted';
  if (options.parentId !== null && (asDigits(entry.parent_comment_id) ?? options.parentId) !== options.parentId) {
    // A reply of another thread, in an answer that was meant for it.
    return 'misplaced';
  }
  const hasInline = inline === null || inline.comments.length + inline.skipped > 0;
  const comment: PlatformComment = {
    id,
    parentId,
    ...author,
    text,
    createdAt,
    likeCount: asCount(entry.comment_like_count),
    replyCount: readReplyCount(entry, parentId === null, hasInline, options.replies),
  };
  return { read: { comments: [comment, ...(inline?.comments ?? [])], skipped: inline?.skipped ?? 0 } };
}

/**
 * The comment cannot be read, or is nobody's. Its replies can be; those that did not come with it have no list that is asked for.
 */
function readRepliesOnly(entry: JsonObject, options: ThreadOptions): Entry<CommentList> {
  const unread = namesAccount(entry) ? 'unreadable' : 'nobodys';
  const id = asDigits(entry.pk);
  const parentId = options.parentId ?? asDigits(entry.parent_comment_id);
  if (parentId !== null) return unread;
  const inline = (id === null ? null : readInline(entry, id, null, options)) ?? { comments: [], skipped: 0 };
  const count = entry.child_comment_count;
  const told = asCount(count) ?? (count === undefined || count === null ? 0 : 1);
  const skipped = Math.max(inline.skipped, told - inline.comments.length);
  if (inline.comments.length + skipped === 0) return unread;
  return { read: { ...inline, skipped: skipped + (unread === 'unreadable' ? 1 : 0) } };
}

/** Null for inline replies that cannot be read: they have a list of their own, which is asked for then. */
function readInline(
  entry: JsonObject,
  id: string | null,
  parentId: string | null,
  options: ListOptions,
): CommentList | null {
  if (parentId !== null) return { comments: [], skipped: 0 };
  const inThread = { ...options, parentId: id, isNamedBeside: true };
  return joinEntries(entry.preview_child_comments ?? [], (reply) => readThread(reply, inThread));
}

/** There is no field `user`. If nobody at all has one, the field has gone, not the people. A user of null is another case. */
function lacksAuthor(entry: JsonObject): boolean {
  return !Object.hasOwn(entry, 'user') && isObject(entry.fallback_user_info);
}

/** Whether the comment is some account's. That account may be there, and be the one that is looked for. */
function namesAccount({ user_id, fallback_user_info }: JsonObject): boolean {
  return [user_id, field(fallback_user_info, 'id')].some((id) => id != null && id !== '');
}

/** None where there are replies says nothing, nor does what is no count: as zero, it would lose them. */
function readReplyCount(
  entry: JsonObject,
  isTopLevel: boolean,
  hasInline: boolean,
  dialect: 'zero-when-absent' | 'unknown-when-absent',
): number | null {
  const value = entry.child_comment_count;
  if (value === undefined || value === null) {
    const hasSome =
      hasInline || entry.has_more_head_child_comments === true || entry.has_more_tail_child_comments === true;
    return !isTopLevel || (dialect === 'zero-when-absent' && !hasSome) ? 0 : null;
  }
  return asCount(value);
}
