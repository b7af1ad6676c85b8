/** Post URLs and share links of Instagram. */
import { type PostRef, pathSegments, type ShortLink } from '../../core/platforms/post-url.ts';

const SHORTCODE = /^[A-Za-z0-9_-]{1,64}$/;
const SHARE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const USER = /^[A-Za-z0-9._]{1,30}$/;
const POST_FORMS = new Set(['p', 'reel', 'reels', 'tv']);
/** What belongs to a post and has a path below its own. */
const PART_OF_POST = /^(?:|embed|embed\/captioned|comments|liked_by|media|c\/\d{1,20}(?:\/r\/\d{1,20})?)$/;
/** First path segments that are pages of Instagram, never users. */
const PAGES = new Set(
  'p reel reels tv share stories explore accounts direct api graphql web oauth legal about developer emails'.split(' '),
);

export function canonicalUrl(shortcode: string): string {
  return `https://www.instagram.com/p/${shortcode}/`;
}

export function parseUrl(url: URL): PostRef | ShortLink | null {
  const segments = pathSegments(url);
  const [first = ''] = segments;
  if (first === 'share') return parseShareLink(segments);
  const isUser = USER.test(first) && !PAGES.has(first.toLowerCase());
  const [form = '', code = '', ...below] = isUser ? segments.slice(1) : segments;
  return POST_FORMS.has(form) && PART_OF_POST.test(below.join('/')) ? parsePost(form, code) : null;
}

function parseShareLink(segments: readonly string[]): ShortLink | null {
  const [, second = '', third = ''] = segments;
  const typed = segments.length === 3 && POST_FORMS.has(second);
  const id = typed ? third : second;
  if ((!typed && segments.length !== 2) || !SHARE_ID.test(id) || (!typed && POST_FORMS.has(id))) return null;
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
