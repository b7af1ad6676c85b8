/** Replies to one comment: no logged-out query for them is known, so a session is needed. */
import { asCount, asDigits, asText, field, type ReadPage } from '../scraping/index.ts';
import type { AskedPost } from './asked.ts';
import { readCommentList } from './comment-list.ts';
import { endsAfter, type ListEnds, type Position } from './cursor.ts';
import { fromApi, unlessGone } from './read-post.ts';
import { drifted, notFound, unlessDecided } from './refusals.ts';

/** @throws `PLATFORM_UNAVAILABLE` with reason `session-required` when no session is configured */
export async function readReplies(
  post: AskedPost,
  parentId: string,
  after: ListEnds | null,
): Promise<ReadPage<Position>> {
  const { context, time, pk, about } = post;
  const isAtMin = after?.max == null && after?.min != null;
  const query = new URLSearchParams(isAtMin ? { min_id: after.min ?? '' } : { max_id: after?.max ?? '' });
  const path = `/api/v1/media/${pk}/comments/${parentId}/child_comments/?${query}`;
  const read = context.api(time, path, { ...about, endpoint: 'replies', as: 'session' }, (body) => {
    const parent = body.parent_comment;
    if (asDigits(field(parent, 'pk') ?? parentId) !== parentId) throw drifted('replies');
    const options = { mediaPk: pk, replies: 'zero-when-absent', isNamedBeside: isNamed(parent, parentId) } as const;
    return {
      ...readCommentList(body.child_comments, { parentId, after }, options),
      next: endsAfter(
        after,
        [body.has_more_tail_child_comments, body.next_max_child_cursor],
        [body.has_more_head_child_comments, body.next_min_child_cursor],
      ),
      expectedTotal: asCount(body.child_comment_count),
    };
  });
  return await unlessGone(post, unlessDeleted(post, read));
}

/** If the post is seen, it is the comment that is not found, and the replies went with it. */
async function unlessDeleted<T>(post: AskedPost, read: Promise<T>): Promise<T> {
  return await unlessDecided(read, async () => {
    const isSeen = await fromApi(post).then(
      () => true,
      () => false,
    );
    post.time.check();
    if (isSeen) throw notFound('post');
  });
}

/** Whether the comment that the replies belong to is there beside them, with its author where replies have theirs. */
function isNamed(parent: unknown, commentId: string): boolean {
  const username = asText(field(parent, 'user', 'username'), 100);
  return asDigits(field(parent, 'pk')) === commentId && username !== null && username !== '';
}
