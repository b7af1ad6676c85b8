/** TikTok's API for Business over the world: the login, own videos, comments, replies and the webhook. */
import type { WorldComment } from '../comment-thread.ts';
import { type Failures, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { pageOf } from '../paging.ts';
import { createSite, type PlatformSite } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { type Grant, SIMULATED_APP, scopedIdOf, type TokenState } from './apps.ts';
import { authorise, postsOf } from './shared.ts';

/** The paths of the API, which no page of TikTok has. */
export const BUSINESS_PATH = /^\/(?:open_api\/v1\.3\/|oauth\/authorize$)/;

const DAY_SECONDS = 86_400;
/** Up to here comments come in the order asked for; the rest comes in another, and repeats some. */
const ORDERED = 500;
const REPEATED = 10;

export function createBusinessSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const path = request.url.pathname.replace('/open_api/v1.3', '');
    const { searchParams: query } = request.url;
    return {
      platform: 'tiktok',
      via: 'official',
      endpoint: `official${path.replace(/\/$/, '').replaceAll('/', '-')}`,
      contentId: query.get('video_id') ?? undefined,
      answer: (rule) =>
        path === '/oauth/authorize'
          ? authorise(world, 'tiktok', query)
          : (app(world, request, path) ?? account(world, request, path, rule)),
      failures: failuresAt(path),
    };
  });
}

/** What the app asks in its own name. */
function app(world: World, { method, body }: SiteRequest, path: string): SiteAnswer | null {
  if (method !== 'POST') return null;
  const asked = JSON.parse(body) as Readonly<Record<string, string | undefined>>;
  const [id, secret] = [asked.client_id ?? asked.app_id, asked.client_secret ?? asked.secret];
  if (id !== SIMULATED_APP.appId || secret !== SIMULATED_APP.appSecret) return refused(40_002, 'Invalid app_id');
  switch (path) {
    case '/tt_user/oauth2/token/':
      return granted(world, world.official.redeem(asked.auth_code ?? ''), 'Authorization code is expired');
    case '/tt_user/oauth2/refresh_token/':
      return granted(world, world.official.grantOf(asked.refresh_token ?? ''), 'Refresh token is invalid');
    case '/tt_user/oauth2/revoke/': {
      const grant = world.official.grantOf(asked.access_token ?? '');
      if (grant !== undefined) world.official.setTokens('tiktok', grant.handle, 'revoked');
      return good({});
    }
    case '/business/webhook/update/':
      // For all accounts that have given access to the app.
      world.official.receive('tiktok', asked.callback_url ?? '');
      return good({ app_id: id, event_type: asked.event_type, callback_url: asked.callback_url });
    default:
      return null;
  }
}

function granted(world: World, grant: Grant | undefined, why: string): SiteAnswer {
  if (grant === undefined) return refused(40_105, why);
  if (grant.state !== 'live') return tokenRefused(grant.state);
  return good({
    access_token: world.official.issue({ ...grant }),
    scope: 'user.info.basic,user.info.username,video.list,comment.list',
    expires_in: DAY_SECONDS,
    refresh_token: world.official.issue({ ...grant }),
    refresh_token_expires_in: 365 * DAY_SECONDS,
    open_id: grant.accountId,
  });
}

function account(world: World, { url, headers }: SiteRequest, path: string, rule: FailureRule | null): SiteAnswer {
  const { searchParams: query } = url;
  const grant = world.official.grantOf(headers['access-token'] ?? '');
  if (grant?.state !== 'live') return tokenRefused(grant?.state);
  if (query.get('business_id') !== grant.accountId) return refused(40_002, 'business_id is not of this token');
  if (path === '/business/get/') return good({ username: grant.handle });
  const posts = postsOf(world, grant);
  if (path === '/business/video/list/') {
    const { video_ids: ids } = JSON.parse(query.get('filters') ?? '{}') as { readonly video_ids?: readonly string[] };
    const videos = posts.filter(({ contentId }) => ids === undefined || ids.includes(contentId)).map(video);
    return good({ videos, cursor: 0, has_more: false });
  }
  const post = posts.find(({ contentId }) => contentId === query.get('video_id'));
  if (post === undefined) return refused(40_002, 'The video does not exist');
  const parentId = path === '/business/comment/reply/list/' ? (query.get('comment_id') ?? '') : null;
  if (parentId !== null && post.thread.replyCount(parentId) === null) return refused(40_002, 'No such comment');
  return commentList(post, parentId, query, rule);
}

function commentList(post: WorldPost, parentId: string | null, query: URLSearchParams, rule: FailureRule | null) {
  const limit = Math.min(30, Number(query.get('max_count') ?? '20'));
  const { thread } = post;
  const total = parentId === null ? listedSize(thread.size) : (thread.replyCount(parentId) ?? 0);
  const { from, next, entries } = pageOf(Number(query.get('cursor') ?? '0'), limit, total, rule, (start, count) =>
    parentId === null
      ? listed(post, start, Math.min(count, total - start))
      : (thread.replies(parentId, start, count, 'owner') ?? []),
  );
  const comments = entries.map((each, index) => ({
    ...comment(post, each),
    ...(index === 0 && rule?.shape === 'nameless-comment' ? { username: '', unique_identifier: '' } : {}),
  }));
  return good({ comments, cursor: next ?? from + limit, has_more: next !== null });
}

const listedSize = (size: number) => (size <= ORDERED ? size : size + REPEATED);

/** The first 500 oldest first, then a few of them again, and the rest newest first. */
function listed({ thread }: WorldPost, from: number, count: number): readonly WorldComment[] {
  const placeOf = (index: number) => {
    if (index < ORDERED) return index;
    return index < ORDERED + REPEATED ? index - REPEATED : thread.size - 1 - (index - ORDERED - REPEATED);
  };
  return Array.from({ length: count }, (_each, offset) => thread.page(placeOf(from + offset), 1, 'owner')).flat();
}

function comment(post: WorldPost, given: WorldComment): object {
  const inline = given.parentId === null ? (post.thread.replies(given.id, 0, 3, 'owner') ?? []) : [];
  return {
    comment_id: given.id,
    video_id: post.contentId,
    unique_identifier: scopedIdOf('tiktok', given.accountId),
    username: given.handle,
    create_time: String(given.createdAt),
    text: given.text,
    likes: given.likes,
    replies: given.replies,
    status: given.isHidden ? 'HIDDEN' : 'PUBLIC',
    ...(given.parentId === null ? {} : { parent_comment_id: given.parentId }),
    reply_list: inline.map((reply) => comment(post, reply)),
  };
}

function video({ contentId, caption, createdAt, counts, thumbnailUrl }: WorldPost): object {
  return {
    item_id: contentId,
    create_time: String(createdAt),
    caption: caption ?? '',
    ...(thumbnailUrl === null ? {} : { thumbnail_url: thumbnailUrl }),
    likes: counts.likes,
    comments: counts.comments,
    shares: counts.shares,
    video_views: counts.views,
  };
}

function failuresAt(path: string): Failures {
  const isOfVideos = path.includes('/video/');
  return {
    'token-expired': () => tokenRefused('expired'),
    'token-revoked': () => tokenRefused('revoked'),
    'scope-missing': () => refused(40_001, 'The access token has no permission for this scope'),
    'usage-spent': () => refused(40_100, 'Requests made too frequently'),
    'cursor-refused': () => (isOfVideos ? null : refused(40_002, 'cursor: Invalid value')),
    'not-found': () => (isOfVideos ? good({ videos: [] }) : refused(40_002, 'The video does not exist')),
    drifted: () => good({ videos: { first: null }, comments: [[{ name: 'a' }]], has_more: 'yes' }),
    'login-redirect': () => redirect('https://business.tiktok.example/login'),
  };
}

function tokenRefused(state?: TokenState): SiteAnswer {
  return refused(40_105, state === 'expired' ? 'Access token has expired' : 'Access token is invalid');
}

function good(data: object): SiteAnswer {
  return json({ code: 0, message: 'OK', request_id: 'sim', data });
}

function refused(code: number, message: string): SiteAnswer {
  return json({ code, message, request_id: 'sim', data: {} });
}
