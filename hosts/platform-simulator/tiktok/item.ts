/** World posts and profiles as the objects in TikTok's pages. */
import type { WorldPost, WorldProfile } from '../world.ts';

/** `itemStruct` of a post page. */
export function itemStruct(post: WorldPost): Record<string, unknown> {
  const { owner, counts } = post;
  const isPhoto = post.kind !== 'video';
  const media = post.mediaUrls[0] ?? '';
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
    stats: {
      ...rounded('playCount', counts.views),
      ...rounded('diggCount', counts.likes),
      ...rounded('commentCount', counts.comments),
      ...rounded('shareCount', counts.shares),
      ...exact('collectCount', counts.saves),
    },
    statsV2: {
      ...exact('playCount', counts.views),
      ...exact('diggCount', counts.likes),
      ...exact('commentCount', counts.comments),
      ...exact('shareCount', counts.shares),
      ...exact('collectCount', counts.saves),
      repostCount: '0',
    },
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
      ...rounded('followerCount', profile.followers),
      ...rounded('followingCount', profile.following),
      // The real page counts hearts in 32 bits and overflows.
      heart: hearts | 0,
      heartCount: hearts | 0,
      videoCount,
      diggCount: 0,
    },
    statsV2: {
      ...exact('followerCount', profile.followers),
      ...exact('followingCount', profile.following),
      heart: String(hearts),
      heartCount: String(hearts),
      videoCount: String(videoCount),
      diggCount: '0',
    },
    itemList: [],
  };
}

/** A number as the page shows it to people: three figures. */
function rounded(name: string, value: number | null): Record<string, number> {
  return value === null ? {} : { [name]: Number(value.toPrecision(3)) };
}

function exact(name: string, value: number | null): Record<string, string> {
  return value === null ? {} : { [name]: String(value) };
}
