/** TikTok at ScrapeCreators: the bodies of TikTok's app for videos, of its web for profiles and comments. */
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import {
  asDigits,
  asUnixTime,
  DRIFTED,
  field,
  firstUrl,
  isObject,
  type JsonObject,
  type ReadPost,
  type Verdict,
} from '../scraping/index.ts';
import { postOf, readCommentPage, readProfilePage, readStatus, shownCount, tiktokDescriptor } from '../tiktok/index.ts';
import { byUrl, type ProviderDialect } from './dialect.ts';

const MAX_MEDIA = 100;
const DELETED = 'status_deleted';
const PRIVATE = 'author_secret';
const IN_REVIEW = 'status_reviewing';

export const tiktok: ProviderDialect = {
  descriptor: tiktokDescriptor,
  questions: byUrl({
    post: '/v2/tiktok/video',
    comments: '/v1/tiktok/video/comments',
    replies: '/v1/tiktok/video/comment/replies',
    profile: '/v1/tiktok/profile',
  }),
  isPost: (post) => /^\d{1,20}$/.test(post.contentId),
  commentId: /^\d{1,25}$/,

  readPost(body, post) {
    const item = body.aweme_detail;
    if (isObject(item)) return readState(item.status) ?? readVideo(item, post);
    // Nothing said is no proof that the video is gone.
    const why = field(body, 'filter_detail', 'filter_reason') ?? messageOf(body);
    return readStatus('post', codeOf(body), why) ?? DRIFTED;
  },

  readProfile(body, handle): Verdict<PlatformProfile | null> {
    const { user, stats, statsV2 } = body;
    const detail = {
      userInfo: { user, stats, statsV2 },
      statusCode: codeOf(body),
      statusMsg: messageOf(body),
    };
    return readProfilePage({ __DEFAULT_SCOPE__: { 'webapp.user-detail': detail } }, handle);
  },

  readComments(body, place, post) {
    const status = { status_code: codeOf(body), status_msg: messageOf(body) };
    return readCommentPage({ ...body, ...status }, place, post.contentId);
  },
};

/** TikTok's own status, as its app names it or as its web does; the provider leaves it out of some answers. */
function codeOf(body: JsonObject): unknown {
  const code = body.status_code ?? 0;
  // Of two, the one that refuses.
  return code === 0 ? (body.statusCode ?? 0) : code;
}

function messageOf(body: JsonObject): unknown {
  return body.status_msg || body.statusMsg;
}

/** What the video's state says against reading it, in TikTok's own words. */
function readState(state: unknown): Verdict<never> | null {
  if (!isObject(state)) return null;
  if (state.is_delete === true) return readStatus('post', 0, DELETED);
  if (state.self_see === true || (typeof state.private_status === 'number' && state.private_status !== 0)) {
    return readStatus('post', 0, PRIVATE);
  }
  return state.in_reviewing === true || state.is_prohibited === true ? readStatus('post', 0, IN_REVIEW) : null;
}

function readVideo(item: JsonObject, post: PostRef): Verdict<ReadPost> {
  if (asDigits(item.aweme_id) !== post.contentId) return { kind: 'unreadable', reason: 'wrong-post' };
  const { author, statistics } = item;
  if (!isObject(statistics)) return DRIFTED;
  return postOf({
    handle: field(author, 'unique_id'),
    accountId: field(author, 'uid'),
    secUid: field(author, 'sec_uid'),
    displayName: field(author, 'nickname'),
    captions: [item.desc, field(item, 'image_post_info', 'title')],
    media: {
      postedAt: asUnixTime(item.create_time),
      thumbnailUrl:
        firstUrl(field(item, 'image_post_info', 'image_post_cover', 'display_image', 'url_list')) ??
        firstUrl(field(item, 'video', 'cover', 'url_list')) ??
        firstUrl(field(item, 'video', 'origin_cover', 'url_list')),
      mediaUrls: readMedia(item),
    },
    stats: {
      views: shownCount(statistics.play_count),
      likes: shownCount(statistics.digg_count),
      comments: shownCount(statistics.comment_count),
      shares: shownCount(statistics.share_count),
      saves: shownCount(statistics.collect_count),
    },
  });
}

function readMedia(item: JsonObject): string[] {
  const images = field(item, 'image_post_info', 'images');
  if (Array.isArray(images)) {
    return images
      .slice(0, MAX_MEDIA)
      .map(
        (image: unknown) =>
          firstUrl(field(image, 'display_image', 'url_list')) ?? firstUrl(field(image, 'thumbnail', 'url_list')),
      )
      .filter((url) => url !== null);
  }
  const video = firstUrl(field(item, 'video', 'play_addr', 'url_list'));
  return video === null ? [] : [video];
}
