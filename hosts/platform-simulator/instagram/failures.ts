/** Instagram's own ways to refuse, as pages and API word them, and when it does. */
import { cookieOf, type Failures, html, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { endpointsOf, type Route } from '../site.ts';
import type { World } from '../world.ts';
import { ROUTES, relayPage } from './pages.ts';

type EndpointKind = 'post-page' | 'profile-page' | 'post-api' | 'profile-api' | 'graphql';

const WAIT = 'Please wait a few minutes before you try again.';
const BROKEN_ASSET =
  'Asset asset://laser.provider/ig_business_category_subvertical has been deleted. You cannot use this schema';
const wait = () => failed(WAIT);
const notAuthorized = () => failed('Not authorized to view user');

/** Refusals that are the same everywhere. */
export const REFUSALS = {
  'login-redirect': () => redirect('https://www.instagram.com/accounts/login/?next=%2F'),
  'wait-a-few-minutes': wait,
  'dead-session': () => failed(WAIT, 401, { require_login: true }),
  checkpoint: () => failed('checkpoint_required', 400, { checkpoint_url: '/challenge/1/x/' }),
  'front-page-redirect': () => redirect('https://www.instagram.com/'),
  'csrf-missing': () => failed('login_required', 403),
  'forbidden-html': () => ({ ...html('<!DOCTYPE html><html><body>Page not found</body></html>'), status: 403 }),
  private: notAuthorized,
  'not-authorized': notAuthorized,
  'ok-without-user': () => json({ status: 'ok' }),
} satisfies Failures;

/** How one kind of endpoint words failures. */
function instagramFailures(kind: EndpointKind): Failures {
  const isPage = kind === 'post-page' || kind === 'profile-page';
  return {
    ...REFUSALS,
    'not-found': () => notFoundAnswer(kind),
    'login-wall': () => (isPage ? relayPage(ROUTES.login, []) : pageWithoutData()),
    throttled: () => (isPage ? relayPage(kind === 'post-page' ? ROUTES.post : ROUTES.profile, []) : wait()),
    'broken-asset': () => (kind === 'profile-api' ? failed(BROKEN_ASSET) : null),
    'stale-doc-id': () => (kind === 'graphql' ? staleDocId() : null),
    deleted: () => (isPage ? notFoundAnswer(kind) : failed('Sorry, this media has been deleted')),
    'empty-profile': () =>
      kind === 'profile-page'
        ? relayPage(ROUTES.profile, [{ xig_user_by_username: null }])
        : json({ data: { user: null }, status: 'ok' }),
  };
}

/** How each kind of endpoint says that it has no such thing. On pages the status is 200 all the same. */
export function notFoundAnswer(kind: EndpointKind): SiteAnswer {
  switch (kind) {
    case 'post-page':
    case 'profile-page':
      return relayPage(ROUTES.error, []);
    case 'post-api':
      return failed('Media not found or unavailable');
    case 'profile-api':
      return failed('User not found', 404);
    case 'graphql':
      return json({ data: { xig_polaris_media: null, xdt_shortcode_media: null, user: null }, status: 'ok' });
  }
}

/** As the API refuses. */
export function failed(message: string, status = 400, more: object = {}): SiteAnswer {
  return json({ message, ...more, status: 'fail' }, status);
}

export function pageWithoutData(): SiteAnswer {
  return html('<!DOCTYPE html><html><head><title>Instagram</title></head><body></body></html>');
}

export function staleDocId(): SiteAnswer {
  return json({ errors: [{ message: 'execution error', severity: 'CRITICAL' }], data: null, status: 'ok' });
}

/** An endpoint that words failures as its kind does. */
export const endpoint = endpointsOf(instagramFailures);

/**
 * Answers what the web's own scripts send, with a session that is in order or without one. `isSessionNeeded`: logged-out readers
 * are refused too.
 */
export function guarded(
  world: World,
  request: SiteRequest,
  isSessionNeeded: boolean,
  answer: Route['answer'],
): Route['answer'] {
  return (rule) => scriptRefusal(request) ?? sessionRefusal(world, request, isSessionNeeded) ?? answer(rule);
}

function sessionRefusal(world: World, request: SiteRequest, isNeeded: boolean): SiteAnswer | null {
  const id = cookieOf(request, 'sessionid');
  if (id === undefined) return isNeeded ? REFUSALS['dead-session']() : null;
  const state = world.sessions.get(id) ?? 'dead';
  return state === 'live' ? null : REFUSALS[state === 'checkpoint' ? 'checkpoint' : 'dead-session']();
}

/** The refusal of a request that the web's own scripts would not send, or null. */
export function scriptRefusal(request: SiteRequest): SiteAnswer | null {
  const csrf = request.headers['x-csrftoken'];
  if (request.headers['x-ig-app-id'] === undefined) return failed('useragent mismatch');
  return csrf !== undefined && csrf === cookieOf(request, 'csrftoken') ? null : REFUSALS['csrf-missing']();
}
