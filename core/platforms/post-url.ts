/**
 * Understanding of post URLs: which forms are accepted, what they name, and their cleaned-up form.
 * Pure; nothing is requested.
 */
import type { PlatformName } from './platform-name.ts';

/** A post named by its URL. */
export interface PostRef {
  readonly platform: PlatformName;
  readonly contentType: 'post';
  /** Instagram shortcode, or TikTok video id (decimal digits). */
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
const INSTAGRAM_HOSTS = new Set(['instagram.com', 'www.instagram.com', 'm.instagram.com']);
const TIKTOK_HOSTS = new Set(['tiktok.com', 'www.tiktok.com', 'm.tiktok.com']);
const TIKTOK_SHORT_HOSTS = new Set(['vm.tiktok.com', 'vt.tiktok.com']);

const SHORTCODE = /^[A-Za-z0-9_-]{1,64}$/;
const SHARE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const INSTAGRAM_USER = /^[A-Za-z0-9._]{1,30}$/;
/** First path segments that are pages of Instagram, never users. */
const INSTAGRAM_PAGES = new Set(
  'p reel reels tv share stories explore accounts direct api graphql web oauth legal about developer emails'.split(' '),
);
const VIDEO_ID = /^[1-9]\d{0,19}$/;
const TIKTOK_USER = /^@[A-Za-z0-9._]{1,64}$/;
const MAX_VIDEO_ID = 2n ** 64n - 1n;
const UNKNOWN_USER = '_';

/**
 * Reads a post URL of either platform. Hosts are compared exactly; only http and https, without credentials or a port;
 * query and fragment are dropped. Null for everything else: profiles, stories, look-alike hosts, text that is no URL.
 */
export function parsePostUrl(text: string): PostRef | ShortLink | null {
  const url = parseWebUrl(text);
  if (url === null) return null;
  const path = url.pathname.endsWith('/') ? url.pathname.slice(1, -1) : url.pathname.slice(1);
  const segments = path.split('/');
  if (INSTAGRAM_HOSTS.has(url.hostname)) return instagramUrl(segments);
  if (TIKTOK_HOSTS.has(url.hostname)) return tiktokUrl(segments);
  if (TIKTOK_SHORT_HOSTS.has(url.hostname)) return tiktokShortLink(url.hostname, segments);
  return null;
}

/** True for a link whose platform has to be asked where it leads. */
export function isShortLink(parsed: PostRef | ShortLink): parsed is ShortLink {
  return parsed.contentType === 'short-link';
}

const CANONICAL_URL: Readonly<Record<PlatformName, (contentId: string, user: string) => string>> = {
  instagram: (contentId) => `https://www.instagram.com/p/${contentId}/`,
  tiktok: (contentId, user) => `https://www.tiktok.com/@${user}/video/${contentId}`,
};

/** The reference to a post known by its platform's id; `tiktokUser` is only for show. */
export function postRef(platform: PlatformName, contentId: string, tiktokUser = UNKNOWN_USER): PostRef {
  return { platform, contentType: 'post', contentId, canonicalUrl: CANONICAL_URL[platform](contentId, tiktokUser) };
}

/** A post's URL for show, once its owner is known: TikTok's forms without a user are shown with the owner's handle. */
export function shownPostUrl({ canonicalUrl }: PostRef, ownerHandle: string): string {
  return canonicalUrl.replace(`/@${UNKNOWN_USER}/`, () => `/@${ownerHandle}/`);
}

/** Stricter than the URL parser, which forgives missing slashes, backslashes, line breaks and escapes in host names. */
function parseWebUrl(text: string): URL | null {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH || !/^https?:\/\/[A-Za-z0-9.-]+(?:[/?#]|$)/i.test(trimmed)) return null;
  if (/[\s\\]/.test(trimmed) || !URL.canParse(trimmed)) return null;
  return new URL(trimmed);
}

function instagramUrl(segments: readonly string[]): PostRef | ShortLink | null {
  const [first = '', second = '', third = ''] = segments;
  if (first === 'share') {
    const typed = segments.length === 3 && (second === 'p' || second === 'reel');
    const id = typed ? third : second;
    if ((!typed && segments.length !== 2) || !SHARE_ID.test(id) || (!typed && (id === 'p' || id === 'reel')))
      return null;
    return {
      platform: 'instagram',
      contentType: 'short-link',
      url: `https://www.instagram.com/share/${typed ? `${second}/` : ''}${id}/`,
    };
  }
  if (segments.length === 2 && ['p', 'reel', 'reels', 'tv'].includes(first)) return instagramPost(first, second);
  if (segments.length === 3 && (second === 'p' || second === 'reel')) {
    const isUser = INSTAGRAM_USER.test(first) && !INSTAGRAM_PAGES.has(first.toLowerCase());
    return isUser ? instagramPost(second, third) : null;
  }
  return null;
}

function instagramPost(form: string, code: string): PostRef | null {
  // `/reels/audio/` is a page of its own.
  if (!SHORTCODE.test(code) || (form === 'reels' && code === 'audio')) return null;
  const ref = postRef('instagram', code);
  const isReel = form === 'reel' || form === 'reels';
  return isReel ? { ...ref, canonicalUrl: `https://www.instagram.com/reel/${code}/` } : ref;
}

function tiktokUrl(segments: readonly string[]): PostRef | ShortLink | null {
  const [first = '', second = '', third = ''] = segments;
  if (segments.length === 3 && TIKTOK_USER.test(first) && (second === 'video' || second === 'photo')) {
    return tiktokPost(third, first.slice(1).toLowerCase());
  }
  if (segments.length === 3 && first === 'share' && second === 'video') return tiktokPost(third);
  if (segments.length === 3 && first === 'embed' && second === 'v2') return tiktokPost(third);
  if (segments.length === 2 && first === 'embed') return tiktokPost(second);
  if (segments.length === 2 && first === 'v' && second.endsWith('.html')) return tiktokPost(second.slice(0, -5));
  if (segments.length === 2 && first === 't' && SHARE_ID.test(second)) {
    return { platform: 'tiktok', contentType: 'short-link', url: `https://www.tiktok.com/t/${second}/` };
  }
  return null;
}

function tiktokShortLink(host: string, segments: readonly string[]): ShortLink | null {
  const [id = ''] = segments;
  if (segments.length !== 1 || !SHARE_ID.test(id)) return null;
  return { platform: 'tiktok', contentType: 'short-link', url: `https://${host}/${id}/` };
}

function tiktokPost(id: string, user?: string): PostRef | null {
  return VIDEO_ID.test(id) && BigInt(id) <= MAX_VIDEO_ID ? postRef('tiktok', id, user) : null;
}
