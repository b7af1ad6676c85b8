/** Instagram at the provider: posts and profiles as Instagram's web words them, comments in the provider's own shape. */
import { DomainError } from '../../core/errors.ts';
import { shortcodeToPk } from '../../core/lookups/instagram-id.ts';
import type { PostRef } from '../../core/lookups/post-url.ts';
import type { PlatformComment, PlatformProfile, PostDetails } from '../../core/ports/platform.ts';
import { readOlderMedia, readWebProfile } from '../instagram/index.ts';
import {
  asCount,
  asDigits,
  asText,
  asUnixTime,
  field,
  isObject,
  type JsonObject,
  type Verdict,
} from '../scraping/index.ts';
import { notFound } from './answers.ts';
import { type CommentList, DRIFTED, type ProviderDialect, SOURCE, unavailable } from './dialect.ts';

const MAX_COMMENTS = 2_000;
const MAX_TEXT = 20_000;

export const instagram: ProviderDialect = {
  paths: {
    post: '/v1/instagram/post',
    comments: '/v2/instagram/post/comments',
    replies: '/v1/instagram/post/comment/replies',
    profile: '/v1/instagram/profile',
  },
  isPost: (post) => shortcodeToPk(post.contentId) !== null,
  commentId: /^\d{1,30}$/,

  readPost(body, post, reading): Verdict<PostDetails> {
    const media = field(body, 'data', 'xdt_shortcode_media');
    if (media === null) return notFound(reading);
    if (!isObject(media)) return DRIFTED;
    if (!isSamePost(media, post)) return { kind: 'unreadable', reason: 'wrong-post' };
    const details = readOlderMedia(media, post, SOURCE);
    if (details === null) return isGated(media.gating_info) ? unavailable('gated', reading) : DRIFTED;
    const areCountsHidden = media.like_and_view_counts_disabled === true;
    const stats = areCountsHidden ? { ...details.stats, views: null, likes: null } : details.stats;
    return { kind: 'ok', value: { ...details, stats } };
  },

  readProfile(body, handle): Verdict<PlatformProfile | null> {
    const user = field(body, 'data', 'user');
    if (user === undefined) return { kind: 'unreadable', reason: 'ambiguous-profile' };
    if (user === null || (isObject(user) && Object.keys(user).length === 0)) return { kind: 'ok', value: null };
    try {
      return { kind: 'ok', value: readWebProfile(user, handle) };
    } catch (error) {
      if (error instanceof DomainError) return DRIFTED;
      throw error;
    }
  },

  readComments(body, parentId): Verdict<CommentList> {
    const comments = readList(body.comments, parentId);
    if (comments === null) return DRIFTED;
    const cursor = body.cursor === null || body.cursor === undefined ? '' : asText(body.cursor, 2_048);
    if (cursor === null || !['boolean', 'undefined'].includes(typeof body.has_more)) return DRIFTED;
    // A page that says neither `cursor` nor `has_more` is the last one: that is how the provider ends a list of comments.
    if (body.has_more === true && cursor === '') return { kind: 'unreadable', reason: 'missing-cursor' };
    return { kind: 'ok', value: { comments, next: body.has_more === false || cursor === '' ? null : cursor } };
  },
};

/** A notice with words in it; an object of another kind in this place is drift. */
function isGated(notice: unknown): boolean {
  return ['title', 'description', 'gating_type'].some((name) => (asText(field(notice, name)) ?? '') !== '');
}

/** Two codes of one post share their number; what follows it on some private posts is a key. */
function isSamePost(media: JsonObject, post: PostRef): boolean {
  const code = asText(media.shortcode, 64);
  return code !== null && shortcodeToPk(code) === shortcodeToPk(post.contentId);
}

/** Null when the list or any entry cannot be read: no page is handed on in part. */
function readList(list: unknown, parentId: string | null): PlatformComment[] | null {
  if (!Array.isArray(list) || list.length > MAX_COMMENTS) return null;
  const comments: PlatformComment[] = [];
  for (const entry of list as readonly unknown[]) {
    // The author's account is gone: the comment is nobody's.
    if (isObject(entry) && entry.user === null) continue;
    const comment = readComment(entry, parentId);
    const inline = comment === null || parentId !== null ? [] : readInline(entry, comment.id);
    if (comment === null || inline === null) return null;
    comments.push(comment, ...inline);
  }
  return comments;
}

function readInline(entry: unknown, parentId: string): PlatformComment[] | null {
  const replies = field(entry, 'replies');
  return replies === undefined || replies === null ? [] : readList(replies, parentId);
}

function readComment(entry: unknown, parentId: string | null): PlatformComment | null {
  const id = asDigits(field(entry, 'id')) ?? asDigits(field(entry, 'pk'));
  const username = asText(field(entry, 'user', 'username'), 100);
  const createdAt = readTime(field(entry, 'created_at'));
  const text = field(entry, 'text') === null ? '' : asText(field(entry, 'text'), MAX_TEXT);
  if (id === null || username === null || username === '' || createdAt === null || text === null) return null;
  return {
    id,
    parentId: parentId ?? asDigits(field(entry, 'parent_comment_id')),
    username,
    text,
    createdAt,
    likeCount: asCount(field(entry, 'comment_like_count')),
    replyCount: asCount(field(entry, 'child_comment_count')),
  };
}

/** ISO 8601 from the provider, unix seconds where it hands Instagram's own on. */
function readTime(value: unknown): Date | null {
  const text = asText(value, 40);
  if (text === null || !/^\d{4}-\d{2}-\d{2}T/.test(text)) return asUnixTime(value);
  return asUnixTime(Math.floor(Date.parse(text) / 1_000));
}
