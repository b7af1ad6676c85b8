/** URLs of videos and Shorts on YouTube. Its short links (`youtu.be`) hold the video's id, so none has to be followed. */
import { type PostRef, pathSegments } from '../../core/platforms/post-url.ts';

export const SHORT_HOSTS = ['youtu.be', 'www.youtu.be'] as const;

const VIDEO_ID = /^[A-Za-z0-9_-]{11}$/;
/** In front of the id of a video. */
const VIDEO_FORMS = new Set(['live', 'embed', 'v', 'e']);
/** Pages below `/embed/` that are no video. */
const EMBEDDED_PAGES = new Set(['videoseries', 'live_stream']);

export function isVideoId(text: string): boolean {
  return VIDEO_ID.test(text);
}

export function canonicalUrl(videoId: string): string {
  return `https://www.youtube.com/watch?v=${videoId}`;
}

export function parseUrl(url: URL): PostRef | null {
  const segments = pathSegments(url);
  const [first = '', second = ''] = segments;
  if (SHORT_HOSTS.some((host) => host === url.hostname)) return segments.length === 1 ? parseVideo(first) : null;
  if (segments.length === 1 && first === 'watch') {
    const [id = '', ...others] = url.searchParams.getAll('v');
    // Some append what should begin the query: `watch?v=ID?si=…`.
    return others.length === 0 ? parseVideo(id.replace(/[?/].*$/s, '')) : null;
  }
  if (segments.length !== 2) return null;
  if (first === 'shorts') {
    const short = parseVideo(second);
    return short && { ...short, canonicalUrl: `https://www.youtube.com/shorts/${second}` };
  }
  if (first === 'embed' && EMBEDDED_PAGES.has(second)) return null;
  return VIDEO_FORMS.has(first) ? parseVideo(second) : null;
}

function parseVideo(id: string): PostRef | null {
  if (!isVideoId(id)) return null;
  return { platform: 'youtube', contentType: 'post', contentId: id, canonicalUrl: canonicalUrl(id) };
}
