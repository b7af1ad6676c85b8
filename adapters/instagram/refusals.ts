/** The refusals that pages and API share. */
import { type DomainError, isDomainError } from '../../core/errors.ts';
import { refusalOf, type ScrapingResponse, type Verdict } from '../scraping/index.ts';

/** The language in front of some paths, such as `/de` or `/pt-br`. */
const LOCALE = /^\/[a-z]{2,3}(?:[-_](?:[a-z]{2,4}|\d{3}))?(?=\/)/;
/** Where an account has to pass a check or agree to something. */
const CHALLENGE_PATH =
  /^\/(?:challenge|auth_platform|checkpoint|consent|privacy\/checks|terms\/unblock|accounts\/(?:suspended|disabled|scraping_warning|confirm_email|unblock))(?:\/|$)/;
const LOGIN_PATH = /^\/(?:accounts|login)(?:\/|$)/;

/**
 * The refusal that a redirect to the front page, or to a login or challenge page, is; null for any other place. `from` is the
 * URL that was asked for: a place elsewhere says nothing about the session.
 */
export function loginOrChallenge(location: string, from: string): Verdict<never> | null {
  // Instagram writes some of its places without the slash in front.
  const base = /^[\w-]+(?:\/|$)/.test(location) ? new URL('/', from).href : from;
  if (!URL.canParse(location, base)) return null;
  const target = new URL(location, base);
  if (!isInstagram(target, from)) return null;
  const path = target.pathname.replace(/\/+/g, '/').toLowerCase();
  const paths = [path, path.replace(LOCALE, '')];
  if (paths.some((each) => CHALLENGE_PATH.test(each))) return challenge();
  if (paths.some((each) => LOGIN_PATH.test(each))) return loginWall();
  // A session that is over is sent to the front page, and so is everybody who asks an endpoint that was retired.
  return path === '/' ? { kind: 'blocked', reason: 'front-page', session: 'sent-away' } : null;
}

/** The refusal that a status is which a firewall gives, with whatever body; null for any other status. */
export function refusedByStatus({ status }: Pick<ScrapingResponse, 'status'>): Verdict<never> | null {
  return status === 401 || status === 403 ? { kind: 'blocked', reason: `http-${status}` } : null;
}

/** Whether a URL is Instagram's, or of the site that replaces it and was asked as `from`. */
export function isInstagram(target: URL, from: string): boolean {
  return target.origin === new URL(from).origin || /(?:^|\.)instagram\.com$/.test(target.hostname);
}

/** The refusal that a page is by its route (`canonicalRouteName`): a login or challenge page. Null for other routes. */
export function loginOrChallengeRoute(route: string): Verdict<never> | null {
  if (/Challenge|Checkpoint|AuthPlatform|Suspended/.test(route)) return challenge();
  return route.includes('Login') ? loginWall() : null;
}

/** The refusal that an HTML page is which came in place of JSON, or null. */
export function loginOrChallengePage(html: string): Verdict<never> | null {
  const route = /"canonicalRouteName":\s{0,9}"([\w.]{1,200})"/.exec(html)?.[1];
  if (route !== undefined) return loginOrChallengeRoute(route);
  return html.includes('id="loginForm"') || html.includes('"LoginAndSignupPage"') ? loginWall() : null;
}

function loginWall(): Verdict<never> {
  return { kind: 'blocked', reason: 'login-wall', session: 'dead' };
}

function challenge(): Verdict<never> {
  return { kind: 'blocked', reason: 'challenge-required', session: 'quarantined' };
}

/** What a "not found" or "private" is about. */
export type Subject = 'post' | 'profile';

export function notFound(subject: Subject): DomainError {
  return subject === 'post'
    ? refusalOf('instagram', 'POST_NOT_FOUND', 'Instagram has no such post, or it was deleted.', 'not-found')
    : refusalOf('instagram', 'PROFILE_NOT_FOUND', 'Instagram has no such profile.', 'not-found');
}

export function isPrivate(subject: Subject): DomainError {
  return subject === 'post'
    ? refusalOf('instagram', 'POST_PRIVATE', 'The post is visible to approved followers of its owner only.', 'private')
    : refusalOf('instagram', 'PROFILE_PRIVATE', 'The profile is private.', 'private');
}

/** An answer that is of no use; the word says why, for programs. */
export function unavailable(word: string, message: string): DomainError {
  return refusalOf('instagram', 'PLATFORM_UNAVAILABLE', `${message}; try again later.`, word);
}

/** A readable answer whose fields are not what they were: nothing of it is used. */
export function drifted(what: string): DomainError {
  return unavailable('drifted', `Instagram answered with ${what} of an unknown shape`);
}

/** An answer without a word about what was asked: no proof that it does not exist. */
export function unanswered(what: string): DomainError {
  return unavailable('unanswered', `Instagram answered without a word about ${what}`);
}

/** Missing to one reader, which its owner may have blocked, or by one way, which may be broken: no proof that it does not exist. */
export function unconfirmed(subject: Subject): DomainError {
  return unavailable('unanswered', `One answer does not find the ${subject}, and no other confirms it`);
}

/**
 * Reads, and has `decide` look further if the API finds nothing.
 * @throws what `decide` throws; what `read` fails with otherwise
 */
export async function unlessDecided<T>(read: Promise<T>, decide: () => Promise<void>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (isUnconfirmed(error)) await decide();
    throw error;
  }
}

/** Whether an error of the API is an `unconfirmed` one. */
export function isUnconfirmed(error: unknown): boolean {
  return isDomainError(error, 'PLATFORM_UNAVAILABLE') && error.details?.reason === 'unanswered';
}
