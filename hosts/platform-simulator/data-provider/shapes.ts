/** World posts, profiles and comments as the data provider hands them on. */
import type { WorldComment } from '../comment-thread.ts';
import { olderMediaShape, webProfileShape } from '../instagram/media.ts';
import { userInfo } from '../tiktok/item.ts';
import type { WorldPost, WorldProfile } from '../world.ts';

type Shape = Readonly<Record<string, unknown>>;

/** What every answer of the provider's own making begins with. */
export const ACCOUNT: Shape = { success: true, credits_remaining: 4_711 };

export function instagramPost(post: WorldPost): Shape {
  const isHidden = post.counts.likes === null;
  const media = { ...olderMediaShape(post), like_and_view_counts_disabled: isHidden, gating_info: null };
  return { ...ACCOUNT, data: { xdt_shortcode_media: media }, status: 'ok' };
}

export function instagramProfile(profile: WorldProfile): Shape {
  return { ...ACCOUNT, data: { user: webProfileShape(profile) }, status: 'ok' };
}

export function instagramComment(comment: WorldComment): Shape {
  return {
    id: comment.id,
    text: comment.text,
    created_at: new Date(comment.createdAt * 1_000).toISOString(),
    comment_like_count: comment.likes,
    child_comment_count: comment.replies,
    ...(comment.parentId === null ? {} : { parent_comment_id: comment.parentId }),
    user: { id: comment.accountId, pk: comment.accountId, username: comment.handle, is_verified: false },
  };
}

/** `aweme_detail`, as TikTok's app has it: names in snake case, counts as numbers. */
export function tiktokVideo(post: WorldPost): Shape {
  const { owner, counts } = post;
  const isPhoto = post.kind !== 'video';
  return {
    aweme_id: post.contentId,
    desc: post.caption ?? '',
    create_time: post.createdAt,
    author: {
      uid: owner.accountId,
      unique_id: owner.handle,
      sec_uid: owner.secUid ?? '',
      nickname: owner.displayName,
    },
    statistics: {
      play_count: counts.views,
      digg_count: counts.likes,
      comment_count: counts.comments,
      share_count: counts.shares,
      collect_count: counts.saves,
    },
    status: { is_delete: false, is_prohibited: false, in_reviewing: false, private_status: 0, self_see: false },
    video: {
      cover: address(post.thumbnailUrl),
      ...(isPhoto ? {} : { play_addr: address(...post.mediaUrls) }),
    },
    ...(isPhoto ? { image_post_info: { images: post.mediaUrls.map((url) => ({ display_image: address(url) })) } } : {}),
  };
}

export function tiktokProfile(profile: WorldProfile): Shape {
  const refusal = profile.isPrivate ? { statusCode: 10_222, statusMsg: '' } : {};
  return { ...ACCOUNT, ...userInfo(profile), ...refusal };
}

function address(...urls: readonly (string | null)[]): Shape {
  return { uri: 'simulated', url_list: urls.filter((url) => url !== null) };
}
