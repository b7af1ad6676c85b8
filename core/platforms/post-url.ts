/** A post as its URL names it. Pure; nothing is requested. Which URLs name a post is for each platform's descriptor to say. */
import type { PlatformName } from './platform-name.ts';

/** What a platform's URLs lead to. */
export type ContentType = 'post';

/** A post named by its URL. */
export interface PostRef {
  readonly platform: PlatformName;
  readonly contentType: ContentType;
  /** The platform's own id of the post, as it is in its URLs. */
  readonly contentId: string;
  readonly canonicalUrl: string;
}

/** A link that only its platform can turn into a post URL (`Platform.resolveShortLink`). */
export interface ShortLink {
  readonly platform: PlatformName;
  readonly contentType: 'short-link';
  /** Cleaned up: https, the platform's own host, no query. */
  readonly url: string;
}

const MAX_URL_LENGTH = 2048;

/** True for a link whose platform has to be asked where it leads. */
export function isShortLink(parsed: PostRef | ShortLink): parsed is ShortLink {
  return parsed.contentType === 'short-link';
}

/**
 * The URL of a page: http or https, without credentials or a port. Null for everything else. Stricter than the URL parser, which
 * forgives missing slashes, backslashes, line breaks and escapes in host names.
 */
export function parseWebUrl(text: string): URL | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH || !/^https?:\/\/[A-Za-z0-9.-]+(?:[/?#]|$)/i.test(trimmed)) return null;
  if (/[\s\\]/.test(trimmed) || !URL.canParse(trimmed)) return null;
  return new URL(trimmed);
}

/** The parts of a URL's path; one slash at its end does not count. */
export function pathSegments({ pathname }: URL): string[] {
  const path = pathname.endsWith('/') ? pathname.slice(1, -1) : pathname.slice(1);
  return path.split('/');
}
