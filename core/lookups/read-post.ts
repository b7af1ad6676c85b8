/** What is told of a post straight from its URL, also before any campaign exists; nothing is stored. */
import { DomainError } from '../errors.ts';
import { type Platforms, platformOf } from '../platforms/platforms.ts';
import { isShortLink, type PostRef, parseWebUrl } from '../platforms/post-url.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';
import type { PlatformCallOptions, PostDetails } from '../ports/platform.ts';
import type { LookupDeps } from './read-comments.ts';
import { listed } from './resolve-post.ts';

export type ReadPost = (url: string, options?: PlatformCallOptions) => Promise<PostDetails>;

/** @throws DomainError `VALIDATION_ERROR` for a URL that is no post URL, and the failures of the Platform port */
export function readPost(deps: LookupDeps): ReadPost {
  return async (url, options) => {
    const post = await deps.resolvePost(url, options);
    return platformOf(deps.platforms, post.platform).getPost(post, options);
  };
}

/** The slowest read that is waited for (docs/specification/engagement.md#limits). */
export const THUMBNAIL_DEADLINE_MS = 40_000;

export interface Thumbnail {
  readonly post: PostRef;
  /** Null for a readable post without a cover. */
  readonly thumbnailUrl: string | null;
}

/**
 * The post of a URL in one of its platform's `postUrlForms`; narrower than the lookups, nothing is requested.
 * @throws DomainError `VALIDATION_ERROR` for any other URL
 */
export function parseThumbnailUrl(platforms: PlatformRegistry, url: string): PostRef {
  const parsed = platforms.parsePostUrl(url);
  const forms = parsed === null ? [] : platforms.describe(parsed.platform).postUrlForms;
  const pathname = parseWebUrl(url)?.pathname ?? '';
  if (parsed === null || isShortLink(parsed) || !forms.some(({ path }) => path?.test(pathname))) {
    const accepted = listed(platforms.postUrlForms.flatMap(({ shown, path }) => (path ? shown : [])));
    throw new DomainError('VALIDATION_ERROR', `The URL is not a post URL: send ${accepted}.`);
  }
  return parsed;
}

/** @throws DomainError the failures of the Platform port */
export function readThumbnail({ platforms }: { readonly platforms: Platforms }) {
  return async (post: PostRef, options?: PlatformCallOptions): Promise<Thumbnail> => {
    const details = await platformOf(platforms, post.platform).getPost(post, options);
    return { post, thumbnailUrl: details.post.thumbnailUrl };
  };
}
