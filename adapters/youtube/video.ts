/** `videos.list` and the owner's channel as post details. */
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { PostDetails } from '../../core/ports/platform.ts';
import { asCount, asText, asUrl, DRIFTED, field, isObject, type JsonObject, type Verdict } from '../scraping/index.ts';
import { videoNotFound } from './answers.ts';
import { asIsoTime, onlyItemOf } from './list.ts';

const SIZES = ['maxres', 'standard', 'high', 'medium', 'default'] as const;

/** A video without its owner's handle, which `videos.list` does not tell. */
export type Video = Omit<PostDetails, 'owner'> & { readonly channelId: string; readonly channelTitle: string | null };

export function readVideo(body: JsonObject, post: PostRef): Verdict<Video> {
  const item = onlyItemOf(body);
  if (item === undefined) return videoNotFound();
  if (!isObject(item) || !isObject(item.snippet) || !isObject(item.statistics)) return DRIFTED;
  if (item.id !== post.contentId) return { kind: 'unreadable', reason: 'wrong-post' };
  const { snippet, statistics } = item;
  const channelId = asText(snippet.channelId, 64);
  const caption = asText(snippet.title, 1_000);
  const stats = [statistics.viewCount, statistics.likeCount, statistics.commentCount].map(shownCount);
  if (channelId === null || channelId === '' || caption === null || stats.includes(undefined)) return DRIFTED;
  const [views = null, likes = null, comments = null] = stats;
  return {
    kind: 'ok',
    value: {
      platform: 'youtube',
      contentType: 'post',
      contentId: post.contentId,
      postUrl: post.canonicalUrl,
      channelId,
      channelTitle: asText(snippet.channelTitle, 300),
      post: {
        caption,
        postedAt: asIsoTime(snippet.publishedAt),
        thumbnailUrl: largestOf(snippet.thumbnails),
        // The API hands out no media.
        mediaUrls: [],
      },
      stats: { views, likes, comments, shares: null, saves: null },
      source: 'youtube-api',
    },
  };
}

/** The URL of the largest picture. */
export function largestOf(thumbnails: unknown): string | null {
  return SIZES.map((size) => asUrl(field(thumbnails, size, 'url'))).find((url) => url !== null) ?? null;
}

/** Null for what is left out, as the API does with hidden likes and with comments that are off; undefined if unreadable. */
function shownCount(value: unknown): number | null | undefined {
  return value === undefined ? null : (asCount(value) ?? undefined);
}
