/** Replies to one comment: no logged-out query for them is known, so a session is needed. */
import { DomainError } from '../../core/errors.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { CommentPage } from '../../core/ports/platform.ts';
import { asCount, asDigits, asText, type CallTime, field } from '../scraping/index.ts';
import { readCommentList } from './comment-list.ts';
import type { InstagramContext } from './context.ts';
import { decodeCursor, encodeCursor, endsAfter } from './cursor.ts';
import { addressOf, type PostAddress } from './post-address.ts';
import { missingCursor, readOpenEnds } from './read-comments.ts';
import { fromApi, unlessGone } from './read-post.ts';
import { drifted, notFound, unlessDecided } from './refusals.ts';

/** @throws `PLATFORM_UNAVAILABLE` with reason `session-required` when no session is configured */
export async function readReplies(
  context: InstagramContext,
  time: CallTime,
  ref: PostRef,
  commentId: string,
  cursor: string | null,
): Promise<CommentPage> {
  const post = addressOf(ref);
  if (!/^\d{1,30}$/.test(commentId)) {
    throw new DomainError('INVALID_REQUEST', 'A comment id of Instagram is a number.');
  }
  const list = `${post.pk}/${commentId}`;
  const place = cursor === null ? null : decodeCursor(cursor, list);
  const ends = place?.way === 'session' ? place.ends : null;
  const query = new URLSearchParams();
  if (ends?.max == null && ends?.min != null) query.set('min_id', ends.min);
  else query.set('max_id', ends?.max ?? '');
  const path = `/api/v1/media/${post.pk}/comments/${commentId}/child_comments/?${query}`;
  const options = { endpoint: 'replies', as: 'session', subject: 'post', referer: post.path } as const;
  const read = context.api(time, path, options, (body): CommentPage => {
    const parentId = field(body.parent_comment, 'pk') ?? commentId;
    if (asDigits(parentId) !== commentId) throw drifted('replies');
    const replies = readCommentList(body.child_comments, {
      mediaPk: post.pk,
      parentId: commentId,
      replies: 'zero-when-absent',
      isNamedBeside: isNamed(body.parent_comment, commentId),
      isLater: ends !== null,
    });
    const after = endsAfter(
      ends,
      readOpenEnds(
        [body.has_more_tail_child_comments, body.next_max_child_cursor],
        [body.has_more_head_child_comments, body.next_min_child_cursor],
      ),
    );
    if (after === 'broken') throw missingCursor();
    return {
      ...replies,
      nextCursor: after === null ? null : encodeCursor({ way: 'session', of: list, ends: after }),
      expectedTotal: asCount(body.child_comment_count),
      source: 'instagram-api',
    };
  });
  return await unlessGone(context, time, post, unlessDeleted(context, time, post, read));
}

/** If the post is seen, it is the comment that is not found, and the replies went with it. */
async function unlessDeleted<T>(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  read: Promise<T>,
): Promise<T> {
  return await unlessDecided(read, async () => {
    const isSeen = await fromApi(context, time, post).then(
      () => true,
      () => false,
    );
    time.check();
    if (isSeen) throw notFound('post');
  });
}

/** Whether the comment that the replies belong to is there beside them, with its author where replies have theirs. */
function isNamed(parent: unknown, commentId: string): boolean {
  const username = asText(field(parent, 'user', 'username'), 100);
  return asDigits(field(parent, 'pk')) === commentId && username !== null && username !== '';
}
