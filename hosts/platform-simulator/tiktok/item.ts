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
      signature: owner.bio,
      verified: owner.isVerified,
      privateAccount: owner.isPrivate,
      avatarThumb: owner.avatarUrl,
    },
    stats: { ...counted(shown, toThreeFigures), ...counted({ collectCount: counts.saves }, String) },
    statsV2: { ...counted({ ...shown, collectCount: counts.saves }, String), repostCount: '0' },
    video: {
      id: isPhoto ? '' : post.contentId,
      height: isPhoto ? 0 : 1024,
      width: isPhoto ? 0 : 576,
      duration: isPhoto ? 0 : 21,
      cover: post.thumbnailUrl ?? '',
      originCover: post.thumbnailUrl ?? '',
      playAddr: isPhoto ? '' : media,
      ...(isPhoto ? {} : { bitrateInfo: [{ Bitrate: 661_483, PlayAddr: { UrlList: post.mediaUrls } }] }),
    },
    ...(isPhoto
      ? {
          imagePost: {
            title: '',
            cover: { imageURL: { urlList: post.thumbnailUrl === null ? [] : [post.thumbnailUrl] } },
            images: post.mediaUrls.map((url) => ({
              imageURL: { urlList: [url] },
              imageWidth: 1080,
              imageHeight: 1440,
            })),
          },
        }
      : {}),
    challenges: [],
    textExtra: [],
    isAd: false,
    locationCreated: 'DE',
  };
}

/** `userInfo` of a profile page. */
export function userInfo(profile: WorldProfile, videoCount = profile.media): Record<string, unknown> {
  const hearts = profile.followers * 1700;
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
      secret: profile.isPrivate,
      language: 'en',
    },
    stats: {
      ...counted(follows, toThreeFigures),
      // The real page counts hearts in 32 bits and overflows.
      heart: hearts | 0,
      heartCount: hearts | 0,
      videoCount,
      diggCount: 0,
    },
    statsV2: {
      ...counted(follows, String),
      heart: String(hearts),
      heartCount: String(hearts),
      videoCount: String(videoCount),
      diggCount: '0',
    },
    itemList: [],
  };
}

/** As the page shows numbers to people. */
const toThreeFigures = (value: number) => Number(value.toPrecision(3));
