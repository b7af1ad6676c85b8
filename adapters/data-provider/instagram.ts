/** Instagram at ScrapeCreators: posts and profiles as Instagram's web words them, comments in the provider's own shape. */
import type { PlatformComment, PlatformProfile } from '../../core/ports/platform.ts';
import {
  findQueried,
  instagramDescriptor,
  isAgeRestriction,
  isOfAnotherPost,
  isQueried,
  numberOf,
  readQueried,
  readWebProfile,
  shortcodeToPk,
} from '../instagram/index.ts';
import {
  asCount,
  asDigits,
  asText,
  asUnixTime,
  DRIFTED,
  type Entry,
  field,
  isObject,
  type ReadPage,
  readAuthor,
  readThreads,
  type Verdict,
} from '../scraping/index.ts';
import { ageRestricted, unanswered } from './answers.ts';
import { byUrl, type ProviderDialect, unavailable, unlessDrifted } from './dialect.ts';

const MAX_TEXT = 20_000;

export const instagram: ProviderDialect = {
  descriptor: instagramDescriptor,
  questions: byUrl({
    post: '/v1/instagram/post',
    comments: '/v2/instagram/post/comments',
    replies: '/v1/instagram/post/comment/replies',
    profile: '/v1/instagram/profile',
  }),
  isPost: (post) => shortcodeToPk(post.contentId) !== null,
  commentId: /^\d{1,30}$/,

  readPost(body, post, reading) {
    const shown = findQueried(body.data);
    if (shown === null) return unanswered(reading);
    if (shown === undefined) return DRIFTED;
    if (!isQueried(shown, shortcodeToPk(post.contentId))) return { kind: 'unreadable', reason: 'wrong-post' };
    const details = readQueried(shown);
    if (details !== null) return { kind: 'ok', value: details };
    const { media } = shown;
    if (isAgeRestriction(media.gating_info)) return ageRestricted(reading);
    return isGated(media.gating_info) ? unavailable('gated', reading) : DRIFTED;
  },

  readProfile(body, handle, reading): Verdict<PlatformProfile | null> {
    const user = field(body, 'data', 'user');
    if (user === undefined) return { kind: 'unreadable', reason: 'ambiguous-profile' };
    if (user === null) return unanswered(reading);
    if (isObject(user) && Object.keys(user).length === 0) return { kind: 'ok', value: null };
    return unlessDrifted(() => readWebProfile(user, handle));
  },

  readComments(body, place, post): Verdict<ReadPage> {
    const mediaPk = shortcodeToPk(post.contentId) ?? '';
    const list = readThreads(body.comments, place, {
      read: (entry, parentId) => readComment(entry, mediaPk, parentId),
      inlineOf: (entry) => field(entry, 'replies'),
    });
    if (list === null) return DRIFTED;
    const cursor = body.cursor === null || body.cursor === undefined ? '' : asText(body.cursor, 2_048);
    if (cursor === null || !['boolean', 'undefined'].includes(typeof body.has_more)) return DRIFTED;
    // A page that says neither `cursor` nor `has_more` is the last one: that is how the provider ends a list of comments.
    if (body.has_more === true && cursor === '') return { kind: 'unreadable', reason: 'missing-cursor' };
    const next = body.has_more === false || cursor === '' ? null : cursor;
    return { kind: 'ok', value: { ...list, next } };
  },
};

/** A notice with words in it; an object of another kind in this place is drift. */
function isGated(notice: unknown): boolean {
  return ['title', 'description', 'gating_type'].some((name) => (asText(field(notice, name)) ?? '') !== '');
}

/** An entry need not name its post or its thread. One that names another is of another list. */
function readComment(entry: unknown, mediaPk: string, parentId: string | null): Entry<PlatformComment> {
  if (!isObject(entry)) return 'drifted';
  const namedParent = asDigits(entry.parent_comment_id);
  if (isOfAnotherPost(entry, mediaPk) || (parentId !== null && (namedParent ?? parentId) !== parentId)) {
    return 'misplaced';
  }
  const id = asDigits(entry.id) ?? asDigits(entry.pk);
  const author = readAuthor(field(entry, 'user', 'username'), numberOf(entry.user), 100);
  const createdAt = readTime(entry.created_at);
  const text = entry.text === null ? '' : asText(entry.text, MAX_TEXT);
  if (entry.user === null || author === 'unreadable') return 'unreadable';
  if (id === null || author === 'drifted' || createdAt === null || text === null) return 'drifted';
  return {
    read: {
      id,
      parentId: parentId ?? namedParent,
      ...author,
      text,
      createdAt,
      likeCount: asCount(entry.comment_like_count),
      replyCount: asCount(entry.child_comment_count),
    },
  };
}

/** ISO 8601 from the provider, unix seconds where it hands Instagram's own on. */
function readTime(value: unknown): Date | null {
  const text = asText(value, 40);
  if (text === null || !/^\d{4}-\d{2}-\d{2}T/.test(text)) return asUnixTime(value);
  return asUnixTime(Math.floor(Date.parse(text) / 1_000));
}
