/** The REST API of the simulated Instagram's web. */
import { json, type SiteAnswer, type SiteRequest } from '../messages.ts';
import type { Route } from '../site.ts';
import type { World, WorldPost, WorldProfile } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { restComments, restReplies } from './comments.ts';
import { endpoint, failed, guarded, notFoundAnswer, REFUSALS, scriptRefusal } from './failures.ts';
import { likerShape, pkOf, restMediaShape, sessionProfileShape, userShape, webProfileShape } from './media.ts';

const MAX_LIKERS = 1000;

/** The post with this number; also one whose code begins with zeros, which the number does not show. */
export function findByPk(world: World, pk: string): WorldPost | undefined {
  return world.posts('instagram').find((post) => pkOf(post) === pk);
}

export function restEndpoint(world: World, request: SiteRequest, path: string): Route {
  const { searchParams } = request.url;
  if (path === '/api/v1/users/web_profile_info') return webProfile(world, request, searchParams.get('username') ?? '');
  const feed = /^\/api\/v1\/feed\/user\/([A-Za-z0-9._]{1,30})\/username$/.exec(path)?.[1];
  if (feed !== undefined) return userEndpoint(world, request, 'user-feed', world.findProfile('instagram', feed));
  const info = /^\/api\/v1\/users\/(\d{1,20})\/info$/.exec(path)?.[1];
  if (info !== undefined) return userEndpoint(world, request, 'user-info', world.findAccount('instagram', info));
  if (path === '/api/v1/web/get_ruling_for_content') return ruling(world, request, searchParams.get('target_id') ?? '');
  const position = searchParams.get('max_id') ?? searchParams.get('min_id');

  const media = /^\/api\/v1\/media\/(\d{1,20})(?:_\d{1,20})?\/(info|comments|likers)$/.exec(path);
  if (media?.[1] !== undefined) {
    const what = media[2] as 'info' | 'comments' | 'likers';
    return mediaEndpoint(world, request, media[1], ENDPOINTS[what], (post, rule) => {
      if (rule?.shape === 'drifted') return json({ items: {}, comments: 'none', users: null, status: 'ok' });
      if (what === 'comments') return json(restComments(post, position, rule));
      if (what === 'likers') return json(likersShape(post));
      return json({ items: [restMediaShape(post, rule?.shape === 'hidden-counts')], status: 'ok' });
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
  return endpoint('other', 'post-api', {}, () => failed('Not found', 404));
}

const ENDPOINTS = { info: 'media-info', comments: 'media-comments', likers: 'likers' } as const;

function mediaEndpoint(
  world: World,
  request: SiteRequest,
  pk: string,
  name: string,
  answer: (post: WorldPost, rule: FailureRule | null) => SiteAnswer,
): Route {
  const post = findByPk(world, pk);
  const guardedAnswer = guarded(world, request, true, (rule) => {
    if (post === undefined) return notFoundAnswer('post-api');
    return post.owner.isPrivate ? REFUSALS['not-authorized']() : answer(post, rule);
  });
  return endpoint(name, 'post-api', { contentId: post?.contentId }, guardedAnswer);
}

/** As many as the site shows, and how many there are. */
export function likersShape(post: WorldPost): unknown {
  return {
    users: post.likers(MAX_LIKERS).map(likerShape),
    user_count: post.counts.likes ?? post.likerCount,
    status: 'ok',
  };
}

function webProfile(world: World, request: SiteRequest, handle: string): Route {
  const answer = guarded(world, request, false, (rule) => {
    const profile = world.findProfile('instagram', handle);
    if (profile === undefined) return notFoundAnswer('profile-api');
    const isOther = rule?.shape === 'drifted' || rule?.shape === 'renamed-data';
    return json({ data: { user: isOther ? { name: handle } : webProfileShape(profile) }, status: 'ok' });
  });
  return endpoint('web-profile', 'profile-api', { handle }, answer);
}

/** An account, to sessions only. */
function userEndpoint(
  world: World,
  request: SiteRequest,
  name: 'user-feed' | 'user-info',
  profile: WorldProfile | undefined,
): Route {
  const answer = guarded(world, request, true, (rule) => {
    if (profile === undefined) return notFoundAnswer('profile-api');
    if (rule?.shape === 'drifted') return json({ account: { name: 'gone' }, status: 'ok' });
    if (name === 'user-feed') return json({ items: [], user: userShape(profile), status: 'ok' });
    return json({ user: sessionProfileShape(profile), status: 'ok' });
  });
  return endpoint(name, 'profile-api', { handle: profile?.handle }, answer);
}

const MOST_FOUND = 50;

/** Accounts whose handle contains what is searched for: never only the one. */
export function userSearch(world: World, request: SiteRequest): Route {
  const handle = (request.url.searchParams.get('query') ?? '').toLowerCase();
  const answer = guarded(world, request, true, (rule) => {
    if (rule?.shape === 'drifted') return json({ users: { first: null }, status: 'ok' });
    const found = world.profiles('instagram').filter((profile) => profile.handle.includes(handle));
    const users = found.toReversed().slice(0, MOST_FOUND);
    return json({ users: users.map((user, position) => ({ position, user: userShape(user) })), status: 'ok' });
  });
  return endpoint('user-search', 'profile-api', { handle }, answer);
}

/** Says why a post is kept from logged-out readers: what the failure switched on for its page says. */
function ruling(world: World, request: SiteRequest, pk: string): Route {
  const contentId = findByPk(world, pk)?.contentId;
  return endpoint('ruling', 'post-api', { contentId }, () => {
    const isAgeRestricted = world.failures.restrictsAge(contentId);
    const title = isAgeRestricted ? 'Restricted Video' : 'Sensitive content';
    const description = isAgeRestricted
      ? 'You must be 18 years old or over to see this video'
      : 'Log in to see this post';
    return scriptRefusal(request) ?? json({ title, description, status: 'ok' });
  });
}
