/** The refusals that pages and API share. */
import { DomainError } from '../../core/errors.ts';
import type { Verdict } from '../scraping/index.ts';

/** The refusal that a redirect to a login or challenge page is, or null for any other place. */
export function loginOrChallenge(location: string): Verdict<never> | null {
  const path = URL.canParse(location, 'https://www.instagram.com')
    ? new URL(location, 'https://www.instagram.com').pathname
    : '';
  if (path.startsWith('/accounts/login') || path === '/login' || path.startsWith('/login/')) {
    return { kind: 'blocked', reason: 'login-wall', session: 'dead' };
  }
  if (path.startsWith('/challenge') || path.startsWith('/accounts/suspended') || path.startsWith('/auth_platform')) {
    return { kind: 'blocked', reason: 'challenge-required', session: 'quarantined' };
  }
  return null;
}

/** What a "not found" or "private" is about. */
export type Subject = 'post' | 'profile';

export function notFound(subject: Subject): DomainError {
  return subject === 'post'
    ? new DomainError('POST_NOT_FOUND', 'Instagram has no such post, or it was deleted.', reason('not-found'))
    : new DomainError('PROFILE_NOT_FOUND', 'Instagram has no such profile.', reason('not-found'));
}

export function isPrivate(subject: Subject): DomainError {
  return subject === 'post'
    ? new DomainError('POST_PRIVATE', 'The post is visible to approved followers of its owner only.', reason('private'))
    : new DomainError('PROFILE_PRIVATE', 'The profile is private.', reason('private'));
}

/** A readable answer whose fields are not what they were: nothing of it is used. */
export function drifted(what: string): DomainError {
  const message = `Instagram answered with ${what} of an unknown shape; try again later.`;
  return new DomainError('PLATFORM_UNAVAILABLE', message, reason('drifted'));
}

/** The details of a refusal: why, in a word that programs can compare. */
export function reason(word: string): {
  readonly details: { readonly reason: string; readonly platform: 'instagram' };
} {
  return { details: { reason: word, platform: 'instagram' } };
}
