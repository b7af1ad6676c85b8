/** Instagram at HikerAPI, which hands on what Instagram's own app is answered. */
import type { PostRef } from '../../core/platforms/post-url.ts';
import {
  isQueried,
  readCommentList,
  readLikerList,
  readPosition,
  readProfileFields,
  readQueried,
  shortcodeToPk,
} from '../instagram/index.ts';
import { asCount, DRIFTED, field, isObject, type JsonObject } from '../scraping/index.ts';
import { unanswered } from './answers.ts';
import { type ProviderDialect, unlessDrifted } from './dialect.ts';
import { instagram } from './instagram.ts';

const numberOf = (post: PostRef): string => shortcodeToPk(post.contentId) ?? '';

export const hikerInstagram: ProviderDialect = {
  descriptor: instagram.descriptor,
  isPost: instagram.isPost,
  commentId: instagram.commentId,
  questions: {
    post: ({ contentId }) => ['/v2/media/info/by/code', { code: contentId }],
    comments: (post, cursor) => [
      '/v2/media/comments',
      { id: numberOf(post), can_support_threading: 'true', ...(cursor === null ? {} : { page_id: cursor }) },
    ],
    replies: (post, commentId, cursor) => [
      '/v2/media/comments/replies',
      { media_id: numberOf(post), comment_id: commentId, ...(cursor === null ? {} : { min_id: cursor }) },
    ],
    profile: (handle) => ['/v2/user/by/username', { username: handle }],
    likers: (post) => ['/v2/media/likers', { id: numberOf(post) }],
  },

  readPost(body, post, reading) {
    const media = body.media_or_ad;
    if (media === null) return unanswered(reading);
    if (!isObject(media)) return DRIFTED;
    const shown = { media, isOlder: false };
    if (!isQueried(shown, numberOf(post))) return { kind: 'unreadable', reason: 'wrong-post' };
    const details = readQueried(shown);
    return details === null ? DRIFTED : { kind: 'ok', value: details };
  },

  readProfile(body, handle, reading) {
    const { user } = body;
    if (user === null) return unanswered(reading);
    return unlessDrifted(() => readProfileFields(user, handle, field(user, 'pk')));
  },

  readComments(body, place, post) {
    const { parentId } = place;
    const answer = innerOf(body);
    const list = parentId === null ? answer.comments : answer.child_comments;
    const ends = parentId === null ? TOP_LEVEL : REPLIES;
    const next = readPosition(parentId === null ? body.next_page_id : answer.next_min_child_cursor);
    const hasMore = ends.some((flag) => answer[flag] === true);
    if (ends.some((flag) => !['boolean', 'undefined'].includes(typeof answer[flag]))) return DRIFTED;
    // Where to continue is told for one end of the list only.
    if (hasMore && next === null) return { kind: 'unreadable', reason: 'missing-cursor' };
    return unlessDrifted(() => ({
      ...readCommentList(list, place, { mediaPk: numberOf(post), replies: 'zero-when-absent' }),
      next,
      expectedTotal: asCount(parentId === null ? answer.comment_count : answer.child_comment_count),
    }));
  },

  readLikers: (body) => unlessDrifted(() => readLikerList(innerOf(body))),
};

const TOP_LEVEL = ['has_more_comments', 'has_more_headload_comments'];
const REPLIES = ['has_more_tail_child_comments', 'has_more_head_child_comments'];

/** Most lists are in an envelope, with the place to continue at beside them. */
function innerOf(body: JsonObject): JsonObject {
  return isObject(body.response) ? body.response : body;
}
