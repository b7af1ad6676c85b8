/** `videos.list` and the owner's channel as post details. */
import type { PostDetails } from '../../core/ports/platform.ts';
import {
  asCount,
  asIsoTime,
  asText,
  asUrl,
  DRIFTED,
  field,
  isIntact,
  isObject,
  type JsonObject,
  optional,
  type Verdict,
} from '../scraping/index.ts';
import { videoNotFound } from './answers.ts';
import { onlyItemOf } from './list.ts';

const SIZES = ['maxres', 'standard', 'high', 'medium', 'default'] as const;

/** A video without its owner's handle, which `videos.list` does not tell. */
export type Video = Pick<PostDetails, 'post' | 'stats'> & {
  readonly channelId: string;
  readonly channelTitle: string | null;
};

export function readVideo(body: JsonObject, videoId: string): Verdict<Video> {
  const item = onlyItemOf(body);
  if (item === undefined) return videoNotFound();
  if (!isObject(item) || !isObject(item.snippet) || !isObject(item.statistics)) return DRIFTED;
  if (item.id !== videoId) return { kind: 'unreadable', reason: 'wrong-post' };
  const { snippet, statistics } = item;
  const channelId = asText(snippet.channelId, 64);
  const caption = asText(snippet.title, 1_000);
  // The API leaves hidden likes out, and comments that are off.
  const stats = {
    views: optional(statistics.viewCount, asCount),
    likes: optional(statistics.likeCount, asCount),
    comments: optional(statistics.commentCount, asCount),
    shares: null,
    saves: null,
  };
  if (channelId === null || channelId === '' || caption === null || !isIntact(stats)) return DRIFTED;
  return {
    kind: 'ok',
    value: {
      channelId,
      channelTitle: asText(snippet.channelTitle, 300),
      post: {
        caption,
        postedAt: asIsoTime(snippet.publishedAt),
        thumbnailUrl: largestOf(snippet.thumbnails),
        // The API hands out no media.
        mediaUrls: [],
      },
      stats,
    },
  };
}

/** The URL of the largest picture. */
export function largestOf(thumbnails: unknown): string | null {
  return SIZES.map((size) => asUrl(field(thumbnails, size, 'url'))).find((url) => url !== null) ?? null;
}
