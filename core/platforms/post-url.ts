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

/** What comes along before or after a link that is copied out of a text: blanks, quotes, brackets and marks that nobody sees. */
const AROUND = ' \t\r\n\u00a0\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"\'`“”‘’«»*|';
const BEFORE = new Set(`${AROUND}<([{`);
const AFTER = new Set(`${AROUND}>)]}.,;:!?`);

/**
 * The URL of a page as people paste it: http, https or without a scheme, and without credentials or a port. Null for everything
 * else. Stricter than the URL parser, which forgives missing slashes, backslashes, line breaks and escapes in host names.
 */
export function parseWebUrl(text: string): URL | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH) return null;
  const link = withScheme(unescaped(withoutSurroundings(trimmed)));
  if (!/^https?:\/\/[A-Za-z0-9.-]+(?:[/?#]|$)/i.test(link) || /[\s\\]/.test(link)) return null;
  return URL.parse(link);
}

function withoutSurroundings(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && BEFORE.has(text.charAt(from))) from += 1;
  // Several dots stand for the rest of a link that was cut off.
  while (from < to && AFTER.has(text.charAt(to - 1)) && !text.slice(from, to).endsWith('..')) to -= 1;
  return text.slice(from, to);
}

/** A link out of the source of a page, or out of the query of another link. */
function unescaped(link: string): string {
  if (!/^https?%3a%2f%2f/i.test(link)) return link.replaceAll('&amp;', '&');
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

function withScheme(link: string): string {
  if (link.startsWith('//')) return `https:${link}`;
  return /^[A-Za-z0-9-]+\.[A-Za-z0-9.-]+(?:[/?#]|$)/.test(link) ? `https://${link}` : link;
}

/** The parts of a URL's path, decoded; empty ones do not count. */
export function pathSegments({ pathname }: URL): string[] {
  return pathname.split('/').filter(Boolean).map(decoded);
}

/** The text as it is if its escapes are malformed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
