/** Comments and replies as Instagram lists them. */
import type { PlatformComment } from '../../core/ports/platform.ts';
import { asCount, asDigits, asText, asUnixTime, field, isObject, type JsonObject } from '../scraping/index.ts';
import { drifted } from './refusals.ts';

const MAX_COMMENTS = 2_000;
/** The platform's own limit is 2200 characters; markup and emoji may add to it. */
const MAX_TEXT = 20_000;

interface ListOptions {
  readonly parentId: string | null;
  readonly replies: 'zero-when-absent' | 'unknown-when-absent';
  /** Someone beside this list is named in the way that is read here. */
  readonly isNamedBeside?: boolean;
}

/**
 * A page's list, without comments whose author's account is gone: those are nobody's. `replies: 'zero-when-absent'` is the
 * dialect of REST, which leaves a count of zero out; elsewhere a missing count is not known.
 * @throws `PLATFORM_UNAVAILABLE` (`drifted`) when the list or any entry cannot be read: no page is handed on in part
 */
export function readCommentList(list: unknown, options: ListOptions): PlatformComment[] {
  if (!Array.isArray(list) || list.length > MAX_COMMENTS) throw drifted('comments');
  const isAnyoneNamed = options.isNamedBeside === true || list.some((entry) => isObject(field(entry, 'user')));
  return list.flatMap((entry: unknown): PlatformComment[] => {
    if (!isObject(entry)) throw drifted('a comment');
    if (isNobodys(entry, isAnyoneNamed)) return [];
    const id = asDigits(entry.pk);
    const username = asText(field(entry, 'user', 'username'), 100);
    const createdAt = asUnixTime(entry.created_at ?? entry.created_at_utc);
    const text = entry.text === null ? '' : asText(entry.text, MAX_TEXT);
    if (id === null || username === null || username === '' || createdAt === null || text === null) {
      throw drifted('a comment');
    }
    const parentId = options.parentId ?? asDigits(entry.parent_comment_id);
    const inline = entry.preview_child_comments;
    const replies =
      Array.isArray(inline) && parentId === null
        ? readCommentList(inline, { ...options, parentId: id, isNamedBeside: true })
        : [];
    const comment: PlatformComment = {
      id,
      parentId,
      username,
      text,
      createdAt,
      likeCount: asCount(entry.comment_like_count),
      replyCount: readReplyCount(entry, parentId === null, replies.length, options.replies),
    };
    return [comment, ...replies];
  });
}

/**
 * The author's account is gone: there is no user, or none but the bare id. Where nobody at all has a user, the field has gone,
 * not the people.
 */
function isNobodys(entry: JsonObject, isAnyoneNamed: boolean): boolean {
  if (entry.user === null) return true;
  return isAnyoneNamed && !Object.hasOwn(entry, 'user') && isObject(entry.fallback_user_info);
}

/** What is there and is no count has drifted. None where there are replies says nothing: as zero, it would lose them. */
function readReplyCount(
  entry: JsonObject,
  isTopLevel: boolean,
  inline: number,
  dialect: 'zero-when-absent' | 'unknown-when-absent',
): number | null {
  const value = entry.child_comment_count;
  if (value === undefined || value === null) {
    const hasSome =
      inline > 0 || entry.has_more_head_child_comments === true || entry.has_more_tail_child_comments === true;
    return !isTopLevel || (dialect === 'zero-when-absent' && !hasSome) ? 0 : null;
  }
  const count = asCount(value);
  if (count === null) throw drifted('a comment');
  return count;
}
