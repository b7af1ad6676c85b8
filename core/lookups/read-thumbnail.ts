/** `GET /admin/posts/thumbnail`: checks a post by its URL before any campaign exists; stores nothing. */
import { DomainError } from '../errors.ts';
import { type Platforms, platformOf } from '../platforms/platforms.ts';
import { isShortLink, type PostRef, parsePostUrl } from '../platforms/post-url.ts';
import type { PlatformCallOptions } from '../ports/platform.ts';

/** The slowest read that is waited for (docs/specification/engagement.md#limits). */
export const THUMBNAIL_DEADLINE_MS = 40_000;

export interface Thumbnail {
  readonly post: PostRef;
  /** Null for a readable post without a cover. */
  readonly thumbnailUrl: string | null;
}

export type ReadThumbnail = (post: PostRef, options?: PlatformCallOptions) => Promise<Thumbnail>;

const ACCEPTED_PATH = /^\/(?:p\/[^/]+|reel\/[^/]+|@[^/]+\/video\/[^/]+)\/?$/;

/**
 * The post of a URL in one of the three forms that this route takes; narrower than the lookups, nothing is requested.
 * @throws DomainError `VALIDATION_ERROR` for any other URL
 */
export function parseThumbnailUrl(url: string): PostRef {
  const parsed = parsePostUrl(url);
  if (parsed === null || isShortLink(parsed) || !ACCEPTED_PATH.test(new URL(url.trim()).pathname)) {
    throw new DomainError('VALIDATION_ERROR', 'The URL is not a post URL: send /p/…, /reel/… or /@user/video/….');
  }
  return parsed;
}

export function readThumbnail(platforms: Platforms): ReadThumbnail {
  return async (post, options) => {
    const details = await platformOf(platforms, post.platform).getPost(post, options);
    return { post, thumbnailUrl: details.post.thumbnailUrl };
  };
}
