/** World posts and profiles as the objects in TikTok's pages. */
import { counted } from '../messages.ts';
import type { WorldPost, WorldProfile } from '../world.ts';

/** `itemStruct` of a post page. */
export function itemStruct(post: WorldPost): Record<string, unknown> {
  const { owner, counts } = post;
  const isPhoto = post.kind !== 'video';
  const media = post.mediaUrls[0] ?? '';
  const { views: playCount, likes: diggCount, comments: commentCount, shares: shareCount } = counts;
  const shown = { playCount, diggCount, commentCount, shareCount };
  return {
    id: post.contentId,
    desc: post.caption ?? '',
    createTime: String(post.createdAt),
    author: {
      id: owner.accountId,
      uniqueId: owner.handle,
      secUid: owner.secUid ?? '',
      nickname: owner.displayName,
    },
    stats: { ...counted(shown, toThreeFigures), ...counted({ collectCount: counts.saves }, String) },
    statsV2: { ...counted({ ...shown, collectCount: counts.saves }, String) },
    video: {
      cover: post.thumbnailUrl ?? '',
      originCover: post.thumbnailUrl ?? '',
      playAddr: isPhoto ? '' : media,
      ...(isPhoto ? {} : { bitrateInfo: [{ PlayAddr: { UrlList: post.mediaUrls } }] }),
    },
    ...(isPhoto
      ? {
          imagePost: {
            title: '',
            cover: { imageURL: { urlList: post.thumbnailUrl === null ? [] : [post.thumbnailUrl] } },
            images: post.mediaUrls.map((url) => ({ imageURL: { urlList: [url] } })),
          },
        }
      : {}),
  };
}

/** `userInfo` of a profile page. */
export function userInfo(profile: WorldProfile): Record<string, unknown> {
  const videoCount = profile.isPrivate ? 0 : profile.media;
  const follows = { followerCount: profile.followers, followingCount: profile.following };
  return {
    user: {
      id: profile.accountId,
      uniqueId: profile.handle,
      secUid: profile.secUid ?? '',
      nickname: profile.displayName,
      signature: profile.bio,
      avatarLarger: profile.avatarUrl,
      avatarThumb: profile.avatarUrl,
      verified: profile.isVerified,
      privateAccount: profile.isPrivate,
    },
    stats: { ...counted(follows, toThreeFigures), videoCount },
    statsV2: { ...counted(follows, String), videoCount: String(videoCount) },
  };
}

/** As the page shows numbers to people. */
const toThreeFigures = (value: number) => Number(value.toPrecision(3));
