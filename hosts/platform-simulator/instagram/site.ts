/** The simulated Instagram: pages, GraphQL and REST over a world. */
import { cookieOf, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { hashText } from '../seeded.ts';
import { createSite, type PlatformSite, type Route } from '../site.ts';
import type { World } from '../world.ts';
import { endpoint, failed, notFoundAnswer, pageWithoutData } from './failures.ts';
import { graphqlEndpoint } from './graphql.ts';
import { frontPage, postPage, profilePage } from './page-endpoints.ts';
import { restEndpoint, userSearch } from './rest.ts';

export function createInstagramSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const { answer, ...asked } = route(world, request);
    return {
      platform: 'instagram',
      ...asked,
      answer: (rule) => (rule === null ? withClaim(request, () => answer(null)) : answer(rule)),
    };
  });
}

/** What a session's API answers hand out, for the next requests to carry. */
function claimOf(session: string): string {
  return `hmac.simulated${hashText(session).toString(36)}`;
}

/** A session's requests carry the claim that they were handed, or 0 before there was one. */
function withClaim(request: SiteRequest, answer: () => SiteAnswer): SiteAnswer {
  const session = cookieOf(request, 'sessionid');
  if (session === undefined || !request.url.pathname.startsWith('/api/v1/')) return answer();
  const claim = request.headers['x-ig-www-claim'];
  if (claim !== '0' && claim !== claimOf(session)) return failed('claim mismatch');
  const given = answer();
  return { ...given, headers: { ...given.headers, 'x-ig-set-www-claim': claimOf(session) } };
}

function route(world: World, request: SiteRequest): Route {
  const path = request.url.pathname.replace(/\/$/, '');
  if (path === '/api/graphql' || path === '/graphql/query') return graphqlEndpoint(world, request, path);
  if (path.startsWith('/api/v1/')) return restEndpoint(world, request, path);
  if (path === '/web/search/topsearch') return userSearch(world, request);
  if (path === '') return frontPage(world, request);
  if (path.startsWith('/share/')) return shareLink(world, request, path);
  const post = /^(?:\/[A-Za-z0-9._]{1,30})?\/(?:p|reel|reels|tv)\/([A-Za-z0-9_-]{1,64})$/.exec(path);
  if (post?.[1] !== undefined) return postPage(world, request, post[1]);
  const profile = /^\/([A-Za-z0-9._]{1,30})$/.exec(path);
  if (profile?.[1] !== undefined) return profilePage(world, request, profile[1]);
  return endpoint('other', 'post-page', {}, () => ({ ...notFoundAnswer('post-page'), status: 404 }));
}

/** A browser gets a page without a word of where the link leads; a plain client is redirected. */
function shareLink(world: World, request: SiteRequest, path: string): Route {
  return endpoint('share-link', 'post-page', {}, () => {
    if (/mozilla/i.test(request.headers['user-agent'] ?? '')) return pageWithoutData();
    const target = world.findShortLink('instagram', path);
    if (target === undefined || target === null) return { ...notFoundAnswer('post-page'), status: 404 };
    return redirect(`https://www.instagram.com${target}?igsh=simulated`);
  });
}
