/** Share links: Instagram tells a plain client where they lead, and a browser nothing. */
import type { DomainError } from '../../core/errors.ts';
import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import type { PostRef, ShortLink } from '../../core/platforms/post-url.ts';
import {
  type CallTime,
  readTrouble,
  refusalOf,
  type ScrapingClient,
  type ScrapingResponse,
  type Verdict,
} from '../scraping/index.ts';
import { instagramDescriptor } from './descriptor.ts';
import { isInstagram, loginOrChallenge, refusedByStatus } from './refusals.ts';

const PLAIN_CLIENT = 'curl/8.14.1';

/**
 * Where a share link leads. Only redirects to Instagram's own posts and share links are followed.
 * @throws `POST_NOT_FOUND` when the link leads to no post
 */
export function followShareLink(client: ScrapingClient, time: CallTime, url: string): Promise<PostRef | ShortLink> {
  return client.call(time, {
    endpoint: 'page',
    as: 'anonymous',
    request: { url: new URL(url).pathname, headers: { 'user-agent': PLAIN_CLIENT, accept: '*/*' } },
    read: readLocation,
  });
}

function readLocation(response: ScrapingResponse): Verdict<PostRef | ShortLink> {
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
  // Also when a simulator replaces Instagram.
  const isOwn = target.origin === new URL(response.url).origin;
  const url = isOwn ? `https://www.instagram.com${target.pathname}` : target.href;
  const link = parsePostUrlOf(instagramDescriptor, url);
  if (link !== null) return { kind: 'ok', value: link };
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
