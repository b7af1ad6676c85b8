/** Instagram's own ways to refuse, as pages and API word them. */
import type { FailureShape } from '../failure-shapes.ts';
import { html, json, redirect, type SiteAnswer } from '../site.ts';
import { ROUTES, relayPage } from './pages.ts';

export type EndpointKind = 'post-page' | 'profile-page' | 'post-api' | 'profile-api' | 'graphql';

const WAIT = 'Please wait a few minutes before you try again.';

/** The answer for a shape, or null for one that only the endpoint itself can make. */
export function instagramFailure(kind: EndpointKind, shape: FailureShape): SiteAnswer | null {
  const isPage = kind === 'post-page' || kind === 'profile-page';
  switch (shape) {
    case 'not-found':
      return notFoundAnswer(kind);
    case 'login-wall':
      return isPage ? relayPage(ROUTES.login, []) : pageWithoutData();
    case 'login-redirect':
      return redirect('https://www.instagram.com/accounts/login/?next=%2F');
    case 'throttled':
      return isPage
        ? relayPage(kind === 'post-page' ? ROUTES.post : ROUTES.profile, [])
        : json({ message: WAIT, status: 'fail' }, 400);
    case 'wait-a-few-minutes':
      return json({ message: WAIT, status: 'fail' }, 400);
    case 'dead-session':
      return json({ message: WAIT, require_login: true, igweb_rollout: true, status: 'fail' }, 401);
    case 'checkpoint':
      return json(
        { message: 'checkpoint_required', checkpoint_url: '/challenge/1/x/', lock: true, status: 'fail' },
        400,
      );
    case 'front-page-redirect':
      return redirect('https://www.instagram.com/');
    case 'broken-asset':
      return kind === 'profile-api' ? brokenAsset() : null;
    case 'csrf-missing':
      return json({ message: 'login_required', status: 'fail' }, 403);
    case 'forbidden-html':
      return { ...html('<!DOCTYPE html><html><body>Page not found</body></html>'), status: 403 };
    case 'stale-doc-id':
      return kind === 'graphql' ? staleDocId() : null;
    case 'deleted':
      return isPage
        ? notFoundAnswer(kind)
        : json({ message: 'Sorry, this media has been deleted', status: 'fail' }, 400);
    case 'private':
    case 'not-authorized':
      return json({ message: 'Not authorized to view user', status: 'fail' }, 400);
    case 'ok-without-user':
      return json({ status: 'ok' });
    case 'empty-profile':
      return kind === 'profile-page'
        ? relayPage(ROUTES.profile, [{ xig_user_by_username: null }])
        : json({ data: { user: null }, status: 'ok' });
    default:
      return null;
  }
}

/** How each kind of endpoint says that it has no such thing. On pages the status is 200 all the same. */
export function notFoundAnswer(kind: EndpointKind): SiteAnswer {
  switch (kind) {
    case 'post-page':
    case 'profile-page':
      return relayPage(ROUTES.error, []);
    case 'post-api':
      return json({ message: 'Media not found or unavailable', status: 'fail' }, 400);
    case 'profile-api':
      return json({ message: 'User not found', status: 'fail' }, 404);
    case 'graphql':
      return json({ data: { xig_polaris_media: null, xdt_shortcode_media: null, user: null }, status: 'ok' });
  }
}

function pageWithoutData(): SiteAnswer {
  return html('<!DOCTYPE html><html><head><title>Instagram</title></head><body></body></html>');
}

function brokenAsset(): SiteAnswer {
  const asset = 'asset://laser.provider/ig_business_category_subvertical';
  return json({ message: `Asset ${asset} has been deleted. You cannot use this schema`, status: 'fail' }, 400);
}

export function staleDocId(): SiteAnswer {
  return json({ errors: [{ message: 'execution error', severity: 'CRITICAL' }], data: null, status: 'ok' });
}
