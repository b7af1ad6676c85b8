/** Post URLs and share links of Instagram. */
import { type PostRef, pathSegments, type ShortLink } from '../../core/platforms/post-url.ts';

const SHORTCODE = /^[A-Za-z0-9_-]{1,64}$/;
const SHARE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const USER = /^[A-Za-z0-9._]{1,30}$/;
/** First path segments that are pages of Instagram, never users. */
const PAGES = new Set(
  'p reel reels tv share stories explore accounts direct api graphql web oauth legal about developer emails'.split(' '),
);

export function canonicalUrl(shortcode: string): string {
  return `https://www.instagram.com/p/${shortcode}/`;
}

export function parseUrl(url: URL): PostRef | ShortLink | null {
  const segments = pathSegments(url);
  const [first = '', second = '', third = ''] = segments;
  if (first === 'share') return parseShareLink(segments);
  if (segments.length === 2 && ['p', 'reel', 'reels', 'tv'].includes(first)) return parsePost(first, second);
  if (segments.length === 3 && (second === 'p' || second === 'reel')) {
    const isUser = USER.test(first) && !PAGES.has(first.toLowerCase());
    return isUser ? parsePost(second, third) : null;
  }
  return null;
}

function parseShareLink(segments: readonly string[]): ShortLink | null {
  const [, second = '', third = ''] = segments;
  const typed = segments.length === 3 && (second === 'p' || second === 'reel');
  const id = typed ? third : second;
  if ((!typed && segments.length !== 2) || !SHARE_ID.test(id) || (!typed && (id === 'p' || id === 'reel'))) return null;
  return {
    platform: 'instagram',
    contentType: 'short-link',
    url: `https://www.instagram.com/share/${typed ? `${second}/` : ''}${id}/`,
  };
}

function parsePost(form: string, code: string): PostRef | null {
  // `/reels/audio/` is a page of its own.
  if (!SHORTCODE.test(code) || (form === 'reels' && code === 'audio')) return null;
  const isReel = form === 'reel' || form === 'reels';
  return {
    platform: 'instagram',
    contentType: 'post',
    contentId: code,
    canonicalUrl: isReel ? `https://www.instagram.com/reel/${code}/` : canonicalUrl(code),
  };
}
