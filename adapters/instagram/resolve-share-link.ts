/** Share links: Instagram tells a plain client where they lead, and a browser nothing. */
import { DomainError } from '../../core/errors.ts';
import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { type CallTime, readTrouble, refusalOf, type ScrapingResponse, type Verdict } from '../scraping/index.ts';
import type { InstagramContext } from './context.ts';
import { instagramDescriptor } from './descriptor.ts';
import { isInstagram, loginOrChallenge, refusedByStatus } from './refusals.ts';

const MAX_HOPS = 3;
const PLAIN_CLIENT = 'curl/8.14.1';

/**
 * The canonical URL of the post that a share link leads to. Only share links of Instagram are asked for, and only redirects
 * to Instagram's own posts and share links are followed.
 * @throws `VALIDATION_ERROR` for any other URL; `POST_NOT_FOUND` when the link leads to no post
 */
export async function resolveShareLink(context: InstagramContext, time: CallTime, url: string): Promise<string> {
  let link = parsePostUrlOf(instagramDescriptor, url);
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    if (link === null) {
      throw new DomainError('VALIDATION_ERROR', 'This is no share link of Instagram.');
    }
    if (link.contentType === 'post') return link.canonicalUrl;
    const path = new URL(link.url).pathname;
    const location = await context.client.call(time, {
      endpoint: 'page',
      as: 'anonymous',
      request: { url: path, headers: { 'user-agent': PLAIN_CLIENT, accept: '*/*' } },
      read: readLocation,
    });
    link = parsePostUrlOf(instagramDescriptor, location);
    if (link === null) throw leadsNowhere();
  }
  throw leadsNowhere();
}

/** An absolute URL on Instagram's own host, also when a simulator replaces it. */
function readLocation(response: ScrapingResponse): Verdict<string> {
  const trouble = readTrouble(response);
  if (trouble !== null) return trouble;
  if (response.status === 404 || response.status === 410) return { kind: 'permanent', error: leadsNowhere() };
  const location = response.header('location');
  if (response.status < 300 || response.status >= 400 || location === null) {
    if (response.text.includes('PolarisErrorRoute')) return { kind: 'permanent', error: leadsNowhere() };
    if (response.text.includes('LoginHomepageRoute')) return { kind: 'blocked', reason: 'login-wall' };
    return refusedByStatus(response) ?? { kind: 'unreadable', reason: 'no-redirect', retries: 1 };
  }
  const refusal = loginOrChallenge(location, response.url);
  if (refusal !== null) return refusal;
  if (!URL.canParse(location, response.url)) return { kind: 'unreadable', reason: 'unexpected-redirect' };
  const target = new URL(location, response.url);
  // A portal of the network's, or a page of consent: it says nothing about the post.
  if (!isInstagram(target, response.url)) return { kind: 'unreadable', reason: 'foreign-redirect' };
  const isOwn = target.origin === new URL(response.url).origin;
  const url = isOwn ? `https://www.instagram.com${target.pathname}` : target.href;
  if (parsePostUrlOf(instagramDescriptor, url) !== null) return { kind: 'ok', value: url };
  // A check, a consent or a notice says nothing about the post.
  return isProfile(target)
    ? { kind: 'permanent', error: leadsNowhere() }
    : { kind: 'unreadable', reason: 'unexpected-redirect' };
}

/** Pages of one name that could be a handle. */
const NOTICES = /^(?:unsupported|coig|privacy|terms|web|fxcal|oauth|about|legal|explore|direct|stories|api|graphql)/;

function isProfile({ pathname }: URL): boolean {
  const name = /^\/([^/]+)\/?$/.exec(pathname)?.[1]?.toLowerCase();
  return name !== undefined && instagramDescriptor.isHandle(name) && !NOTICES.test(name);
}

function leadsNowhere(): DomainError {
  return refusalOf('instagram', 'POST_NOT_FOUND', 'The share link leads to no post of Instagram.', 'not-found');
}
