/** The resources of the YouTube Data API v3 over the world. */
import type { WorldComment } from '../comment-thread.ts';
import { counted } from '../messages.ts';
import type { WorldPost, WorldProfile } from '../world.ts';

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
const CHANNELS_SINCE = Date.UTC(2015, 0, 1) / 1_000;

/** The ids of the API, made of those of the world. */
export const channelIdOf = (accountId: string): string => `UC${accountId.padStart(22, '0')}`;
export const accountIdOf = (channelId: string): string | null => /^UC0*([1-9]\d*)$/.exec(channelId)?.[1] ?? null;
export const threadIdOf = (commentId: string): string => `Ugx${commentId}AaABAg`;
export const commentIdOf = (threadId: string): string => /^Ugx(\d+)AaABAg$/.exec(threadId)?.[1] ?? '';

const resource = (kind: string, id: string, more: object): object => ({ kind: `youtube#${kind}`, id, ...more });

export function listOf(kind: string, items: readonly object[], nextPageToken?: string): object {
  return {
    kind: `youtube#${kind}ListResponse`,
    ...(nextPageToken === undefined ? {} : { nextPageToken }),
    pageInfo: { totalResults: items.length },
    items,
  };
}

/** Hidden counts are left out. */
export function video(post: WorldPost): object {
  const { views, likes, comments } = post.counts;
  const counts = { viewCount: views, likeCount: likes, commentCount: comments };
  return resource('video', post.contentId, {
    snippet: {
      publishedAt: iso(post.createdAt),
      channelId: channelIdOf(post.owner.accountId),
      title: post.caption ?? '',
      thumbnails:
        post.thumbnailUrl === null
          ? {}
          : { default: { url: `${post.thumbnailUrl}?small` }, high: { url: post.thumbnailUrl } },
      channelTitle: post.owner.displayName,
    },
    statistics: counted(counts, String),
  });
}

export function channel(profile: WorldProfile): object {
  return resource('channel', channelIdOf(profile.accountId), {
    snippet: {
      title: profile.displayName,
      description: profile.bio,
      customUrl: `@${profile.handle.toLowerCase()}`,
      publishedAt: iso(CHANNELS_SINCE),
      thumbnails: { default: { url: profile.avatarUrl } },
    },
    statistics: {
      subscriberCount: String(profile.followers),
      hiddenSubscriberCount: false,
      videoCount: String(profile.media),
    },
  });
}

export function comment(post: WorldPost, given: WorldComment): object {
  const parent = given.parentId === null ? null : threadIdOf(given.parentId);
  return resource('comment', parent === null ? threadIdOf(given.id) : `${parent}.${given.id}`, {
    snippet: {
      videoId: post.contentId,
      textDisplay: given.text,
      textOriginal: given.text,
      ...(parent === null ? {} : { parentId: parent }),
      authorDisplayName: `@${given.handle}`,
      authorChannelUrl: `http://www.youtube.com/@${given.handle}`,
      authorChannelId: { value: channelIdOf(given.accountId) },
      likeCount: given.likes,
      publishedAt: iso(given.createdAt),
    },
  });
}

export function thread(post: WorldPost, given: WorldComment): object {
  const inline = post.thread.replies(given.id, 0, 5) ?? [];
  return resource('commentThread', threadIdOf(given.id), {
    snippet: {
      videoId: post.contentId,
      topLevelComment: comment(post, given),
      totalReplyCount: given.replies,
    },
    ...(inline.length === 0 ? {} : { replies: { comments: inline.map((reply) => comment(post, reply)) } }),
  });
}
