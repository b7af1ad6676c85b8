/** Post URLs and short links of TikTok. */
import { type PostRef, pathSegments, type ShortLink } from '../../core/platforms/post-url.ts';
import { asUnixTime } from '../scraping/index.ts';

const LITE_HOST = 'lite.tiktok.com';
/** Their links are asked for where they are, others on the main host. */
export const SHORT_LINK_HOSTS = ['vm.tiktok.com', 'vt.tiktok.com', LITE_HOST] as const;

const SHORT_LINK_ID = /^[A-Za-z0-9_-]{1,128}$/;
const VIDEO_ID = /^[1-9]\d{0,19}$/;
/** Some links leave the name out. */
const USER = /^@[A-Za-z0-9._]{0,64}$/;
/** In front of the id in links that name no user. */
const ID_PLACES = new Set(['share/video', 'embed/v2', 'player/v1']);
const MAX_VIDEO_ID = 2n ** 64n - 1n;
/** Stands for the owner in URLs that name none; TikTok leads it to the owner's own. */
const UNKNOWN_USER = '_';

export function canonicalUrl(videoId: string, user = UNKNOWN_USER): string {
  return `https://www.tiktok.com/@${user}/video/${videoId}`;
}

/** The upper half of an id is the second it was made. */
export function creationTime(videoId: string): Date | null {
  return asUnixTime(Number(BigInt(videoId) >> 32n));
}

/** With the owner's handle in the forms that name nobody. */
export function shownUrl(url: string, ownerHandle: string): string {
  return url.replace(`/@${UNKNOWN_USER}/`, () => `/@${ownerHandle}/`);
}

export function parseUrl(url: URL): PostRef | ShortLink | null {
  const segments = pathSegments(url);
  const [first = '', second = '', third = ''] = segments;
  const { hostname } = url;
  if (hostname === 'vm.tiktok.com' || hostname === 'vt.tiktok.com') {
    return segments.length === 1 ? shortLink(`${hostname}/`, first) : null;
  }
  if (segments.length === 3 && USER.test(first) && (second === 'video' || second === 'photo')) {
    return parsePost(third, first.slice(1).toLowerCase());
  }
  if (segments.length === 3 && ID_PLACES.has(`${first}/${second}`)) return parsePost(third);
  if (segments.length === 2 && first === 'embed') return parsePost(second);
  if (segments.length === 2 && first === 'v' && second.endsWith('.html')) return parsePost(second.slice(0, -5));
  if (segments.length === 2 && first === 't') {
    return shortLink(`${hostname === LITE_HOST ? LITE_HOST : 'www.tiktok.com'}/t/`, second);
  }
  return null;
}

function shortLink(place: string, id: string): ShortLink | null {
  if (!SHORT_LINK_ID.test(id)) return null;
  return { platform: 'tiktok', contentType: 'short-link', url: `https://${place}${id}/` };
}

function parsePost(id: string, user = ''): PostRef | null {
  if (!VIDEO_ID.test(id) || BigInt(id) > MAX_VIDEO_ID) return null;
  return {
    platform: 'tiktok',
    contentType: 'post',
    contentId: id,
    canonicalUrl: canonicalUrl(id, user || UNKNOWN_USER),
  };
}
