/** Where a short link leads, never off the platform. */
import type { DomainError } from '../../core/errors.ts';
import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import type { PostRef, ShortLink } from '../../core/platforms/post-url.ts';
import { type CallTime, refusalOf, type ScrapingResponse, type Verdict } from '../scraping/index.ts';
import { readRefusal, readWall, redirectTarget } from './answers.ts';
import type { TikTokContext } from './context.ts';
import { tiktokDescriptor } from './descriptor.ts';
import { SHORT_LINK_HOSTS } from './post-url.ts';

/** A profile, or its live stream; `/@_` names nobody. */
const USER_PAGE = /^\/@(?!_\/?$)[\w.]{1,64}(?:\/live)?\/?$/;

/** Short links answer with a redirect to the makers of link previews, and with a page to browsers. */
const LINK_PREVIEW = 'facebookexternalhit/1.1';

export const TIKTOK_ORIGIN = 'https://www.tiktok.com';

/** Where a short link leads. */
export async function followLink(context: TikTokContext, time: CallTime, link: string): Promise<PostRef | ShortLink> {
  const target = (await ask(context, time, link, 'HEAD')) ?? (await ask(context, time, link, 'GET'));
  if (target === null) throw linkNotFound();
  return target;
}

/** Asks one short link where it leads. HEAD is enough, and spares the page; null from servers that do not know it. */
async function ask(
  { client, baseUrl }: TikTokContext,
  time: CallTime,
  link: string,
  method: 'HEAD' | 'GET',
): Promise<PostRef | ShortLink | null> {
  const { host, pathname } = new URL(link);
  // Where the base URL is a simulator it stands for every host: its links must not be asked of the real TikTok.
  const isReal = isTikTok(new URL(baseUrl)) && SHORT_LINK_HOSTS.some((each) => each === host);
  return await client.call<PostRef | ShortLink | null>(time, {
    endpoint: 'short-link',
    as: 'anonymous',
    request: {
      method,
      url: isReal ? link : pathname,
      headers: { 'user-agent': LINK_PREVIEW, accept: '*/*' },
    },
    read: (response) =>
      method === 'HEAD' && (response.status === 405 || response.status === 501)
        ? { kind: 'ok', value: null }
        : readHop(response, baseUrl),
  });
}

/** Reads the answer to a HEAD (or GET) of a short link. `baseUrl` is where TikTok is for us. */
export function readHop(response: ScrapingResponse, baseUrl: string): Verdict<PostRef | ShortLink> {
  if (response.status === 404 || response.status === 410) return { kind: 'permanent', error: linkNotFound() };
  // A page instead of a redirect says nothing about the post; HEAD answers have no body to look at.
  if (response.status < 300) return { kind: 'unreadable', reason: 'no-redirect' };
  if (response.status >= 400) {
    return readRefusal(response) ?? { kind: 'unreadable', reason: `http-${response.status}` };
  }
  const target = redirectTarget(response);
  if (target === null) return { kind: 'unreadable', reason: 'bad-redirect' };
  const wall = readWall(target);
  if (wall !== null) return wall;
  const url = publicUrl(target, baseUrl);
  const parsed = parsePostUrlOf(tiktokDescriptor, url);
  if (parsed !== null) return { kind: 'ok', value: parsed };
  const place = new URL(url);
  if (!isTikTok(place)) return { kind: 'unreadable', reason: 'foreign-redirect' };
  // The front page is how TikTok says that the post is gone; a link to a profile or a stream leads to no post either. Any other
  // place may be where it sends visitors of our country, or of our kind.
  if (place.pathname === '/' || USER_PAGE.test(place.pathname)) return { kind: 'permanent', error: linkNotFound() };
  return { kind: 'unreadable', reason: 'unknown-redirect' };
}

function linkNotFound(): DomainError {
  const message = 'This TikTok link leads to no post; it may have been deleted.';
  return refusalOf('tiktok', 'POST_NOT_FOUND', message, 'not-found');
}

/** The address as the public knows it: without its query, and TikTok's own where `baseUrl` stands for TikTok. */
export function publicUrl(target: URL, baseUrl: string): string {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const isOurs = target.origin === base.origin && target.pathname.startsWith(`${prefix}/`);
  return isOurs ? TIKTOK_ORIGIN + target.pathname.slice(prefix.length) : target.origin + target.pathname;
}

export function isTikTok(url: URL): boolean {
  return url.hostname === 'tiktok.com' || url.hostname.endsWith('.tiktok.com');
}
