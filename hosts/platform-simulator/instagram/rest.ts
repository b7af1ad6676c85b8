/** The REST API of the simulated Instagram's web. */
import { pkToShortcode } from 'credence/adapters/instagram';
import { json, type SiteAnswer, type SiteRequest } from '../messages.ts';
import type { World, WorldPost, WorldProfile } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { restComments, restReplies } from './comments.ts';
import { type Endpoint, guarded, scriptRefusal } from './endpoint.ts';
import { failed, notFoundAnswer, REFUSALS } from './failures.ts';
import { likerShape, pkOf, restMediaShape, sessionProfileShape, userShape, webProfileShape } from './media.ts';

const MAX_LIKERS = 1000;

/** The post with this number; also one whose code begins with zeros, which the number does not show. */
export function findByPk(world: World, pk: string): WorldPost | undefined {
  const shortcode = pkToShortcode(pk);
  if (shortcode === null) return undefined;
  const found = world.findPost('instagram', shortcode);
  if (found !== undefined) return found;
  for (const post of world.posts()) if (post.platform === 'instagram' && pkOf(post) === pk) return post;
  return undefined;
}

export function restEndpoint(world: World, request: SiteRequest, path: string): Endpoint {
  const { searchParams } = request.url;
  if (path === '/api/v1/users/web_profile_info') return webProfile(world, request, searchParams.get('username') ?? '');
  const feed = /^\/api\/v1\/feed\/user\/([A-Za-z0-9._]{1,30})\/username$/.exec(path)?.[1];
  if (feed !== undefined)
    return userEndpoint(world, request, 'user-feed', ({ handle }) => handle === feed.toLowerCase());
  const info = /^\/api\/v1\/users\/(\d{1,20})\/info$/.exec(path)?.[1];
  if (info !== undefined) return userEndpoint(world, request, 'user-info', ({ accountId }) => accountId === info);
  if (path === '/api/v1/web/get_ruling_for_content') return ruling(world, request, searchParams.get('target_id') ?? '');
  const position = searchParams.get('max_id') ?? searchParams.get('min_id');

  const media = /^\/api\/v1\/media\/(\d{1,20})(?:_\d{1,20})?\/(info|comments|likers)$/.exec(path);
  if (media?.[1] !== undefined) {
    const what = media[2] as 'info' | 'comments' | 'likers';
    return mediaEndpoint(world, request, media[1], ENDPOINTS[what], (post, rule) => {
      if (rule?.shape === 'drifted') return json({ items: {}, comments: 'none', users: null, status: 'ok' });
      if (what === 'comments') return json(restComments(post, position, rule));
      if (what === 'likers') return json(likers(post));
      return json({ items: [restMediaShape(post, rule?.shape === 'hidden-counts')], num_results: 1, status: 'ok' });
    });
  }
  const replies = /^\/api\/v1\/media\/(\d{1,20})\/comments\/(\d{1,30})\/(?:inline_)?child_comments$/.exec(path);
  if (replies?.[1] !== undefined && replies[2] !== undefined) {
    const commentId = replies[2];
    return mediaEndpoint(world, request, replies[1], 'child-comments', (post, rule) => {
      if (rule?.shape === 'drifted') return json({ child_comments: { first: null }, status: 'ok' });
      const page = restReplies(post, commentId, position, rule);
      return page === null ? notFoundAnswer('post-api') : json(page);
    });
  }
  return { endpoint: 'other', kind: 'post-api', answer: () => failed('Not found', 404) };
}

const ENDPOINTS = { info: 'media-info', comments: 'media-comments', likers: 'likers' } as const;

function mediaEndpoint(
  world: World,
  request: SiteRequest,
  pk: string,
  endpoint: string,
  answer: (post: WorldPost, rule: FailureRule | null) => SiteAnswer,
): Endpoint {
  const post = findByPk(world, pk);
  return {
    endpoint,
    kind: 'post-api',
    contentId: post?.contentId,
    answer: guarded(world, request, true, (rule) => {
      if (post === undefined) return notFoundAnswer('post-api');
      if (post.owner.isPrivate) return REFUSALS['not-authorized']();
      return answer(post, rule);
    }),
  };
}

function likers(post: WorldPost): unknown {
  return {
    users: post.likers(MAX_LIKERS).map(likerShape),
    user_count: post.counts.likes ?? post.likerCount,
    status: 'ok',
  };
}

function webProfile(world: World, request: SiteRequest, handle: string): Endpoint {
  return {
    endpoint: 'web-profile',
    kind: 'profile-api',
    handle,
    answer: guarded(world, request, false, (rule) => {
      const profile = world.findProfile('instagram', handle);
      if (profile === undefined) return notFoundAnswer('profile-api');
      if (rule?.shape === 'drifted' || rule?.shape === 'renamed-data') {
        return json({ data: { user: { name: handle } }, status: 'ok' });
      }
      return json({ data: { user: webProfileShape(profile) }, status: 'ok' });
    }),
  };
}

/** The account by its handle or number, to sessions only. */
function userEndpoint(
  world: World,
  request: SiteRequest,
  endpoint: 'user-feed' | 'user-info',
  isAsked: (profile: WorldProfile) => boolean,
): Endpoint {
  const profile = [...world.profiles()].find((known) => known.platform === 'instagram' && isAsked(known));
  return {
    endpoint,
    kind: 'profile-api',
    handle: profile?.handle,
    answer: guarded(world, request, true, (rule) => {
      if (profile === undefined) return notFoundAnswer('profile-api');
      if (rule?.shape === 'drifted') return json({ account: { name: 'gone' }, status: 'ok' });
      if (endpoint === 'user-feed') return json({ items: [], user: userShape(profile), status: 'ok' });
      return json({ user: sessionProfileShape(profile), status: 'ok' });
    }),
  };
}

const MOST_FOUND = 50;

/** Accounts whose handle contains what is searched for: never only the one. */
export function userSearch(world: World, request: SiteRequest): Endpoint {
  const text = (request.url.searchParams.get('query') ?? '').toLowerCase();
  return {
    endpoint: 'user-search',
    kind: 'profile-api',
    handle: text,
    answer: guarded(world, request, true, (rule) => {
      if (rule?.shape === 'drifted') return json({ users: { first: null }, status: 'ok' });
      const found = [...world.profiles()].filter(
        ({ platform, handle }) => platform === 'instagram' && handle.includes(text),
      );
      const users = found.toReversed().slice(0, MOST_FOUND);
      return json({ users: users.map((user, position) => ({ position, user: userShape(user) })), status: 'ok' });
    }),
  };
}

/** Says why a post is kept from logged-out readers: what the failure switched on for its page says. */
function ruling(world: World, request: SiteRequest, pk: string): Endpoint {
  const post = findByPk(world, pk);
  return {
    endpoint: 'ruling',
    kind: 'post-api',
    contentId: post?.contentId,
    answer: () => {
      const isAgeRestricted = world.failures.restrictsAge(post?.contentId);
      const ruling = {
        title: isAgeRestricted ? 'Restricted Video' : 'Sensitive content',
        description: isAgeRestricted ? 'You must be 18 years old or over to see this video' : 'Log in to see this post',
        status: 'ok',
      };
      return scriptRefusal(request) ?? json(ruling);
    },
  };
}
