/** Post and profile pages of the simulated Instagram. */
import { cookieOf, type SiteAnswer, type SiteRequest } from '../messages.ts';
import type { Route } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { inlineConnection } from './comments.ts';
import { endpoint, notFoundAnswer } from './failures.ts';
import { mediaShape, pageProfileShape, pkOf } from './media.ts';
import { ROUTES, relayPage } from './pages.ts';

/** Logged-out pages are shown to what navigates like a desktop browser; everyone else meets the login page. */
function browserOnly(request: SiteRequest, answer: () => SiteAnswer): SiteAnswer {
  const isBrowser = /mozilla/i.test(request.headers['user-agent'] ?? '');
  return isBrowser && request.headers['sec-fetch-mode'] === 'navigate' ? answer() : relayPage(ROUTES.login, []);
}

export function postPage(world: World, request: SiteRequest, contentId: string): Route {
  return endpoint('post-page', 'post-page', { contentId }, (rule) =>
    browserOnly(request, () => {
      const post = world.findPost('instagram', contentId);
      if (post === undefined || post.owner.isPrivate) return notFoundAnswer('post-page');
      const name = rule?.shape === 'renamed-data' ? 'xig_renamed_media' : 'xig_polaris_media';
      return relayPage(ROUTES.post, [{ [name]: pageMedia(post, rule) }]);
    }),
  );
}

/** `xig_polaris_media` with its comments, as the page and its query give it. */
export function pageMedia(post: WorldPost, rule: FailureRule | null): Record<string, unknown> {
  const isGated = rule?.shape === 'gated' || rule?.shape === 'age-restricted';
  const shown =
    rule?.shape === 'drifted'
      ? { pk: pkOf(post), code: post.contentId, owner: { name: post.owner.handle }, counts: { likes: 'many' } }
      : mediaShape(post, rule?.shape === 'hidden-counts');
  return {
    pk: pkOf(post),
    code: post.contentId,
    if_not_gated_logged_out: isGated ? null : shown,
    gating_ruling: isGated ? { gating_type: 1 } : null,
    id: `POLARIS_${pkOf(post)}`,
    comments_connection: isGated ? null : rule?.shape === 'drifted' ? { nodes: [] } : inlineConnection(post, rule),
  };
}

export function profilePage(world: World, request: SiteRequest, handle: string): Route {
  return endpoint('profile-page', 'profile-page', { handle }, (rule) =>
    browserOnly(request, () => {
      const profile = world.findProfile('instagram', handle);
      if (profile === undefined) return notFoundAnswer('profile-page');
      const user = rule?.shape === 'drifted' ? { account: profile.accountId } : pageProfileShape(profile);
      const timeline = { pk: profile.accountId, polaris_ordered_timeline_connection: { edges: [] } };
      const name = rule?.shape === 'renamed-data' ? 'xig_renamed_user' : 'xig_user_by_username';
      return relayPage(ROUTES.profile, [{ [name]: timeline }, { [name]: user }]);
    }),
  );
}

/** A session's own page, with its tokens; everybody else is asked to log in. */
export function frontPage(world: World, request: SiteRequest): Route {
  return endpoint('front-page', 'profile-page', {}, () => {
    const isLive = world.sessions.get(cookieOf(request, 'sessionid') ?? '') === 'live';
    return relayPage(isLive ? ROUTES.home : ROUTES.login, []);
  });
}
