/** The Graph API of Instagram over the world: the login, own media, comments, replies and subscriptions. */
import type { WorldComment } from '../comment-thread.ts';
import { type Failures, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { cursorOf, offsetOf, pageOf } from '../paging.ts';
import { createSite, type PlatformSite } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { type Grant, mediaIdOf, SIMULATED_APP, scopedIdOf, type TokenState } from './apps.ts';
import { authorise, postsOf } from './shared.ts';

/** The paths of the API, which no page of Instagram has. */
export const GRAPH_PATH = /^\/(?:v\d+\.\d+\/|oauth\/|access_token$|refresh_access_token$)/;

const TOKEN_SECONDS = 5_184_000;
const INLINE_REPLIES = 50;

type Fields = Readonly<Record<string, string>>;

export function createGraphSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const path = request.url.pathname.replace(/^\/v\d+\.\d+/, '');
    const [, id = '', edge = ''] = path.split('/');
    const post = postOf(world, id);
    return {
      platform: 'instagram',
      via: 'official',
      endpoint: endpointOf(path, edge),
      contentId: post?.contentId,
      answer(rule) {
        const right = login(world, request, path) ?? graph(world, request, { id, edge, post }, rule);
        return rule?.shape === 'usage-nearly-spent' ? { ...right, headers: usage(96) } : right;
      },
      failures: FAILURES,
    };
  });
}

function endpointOf(path: string, edge: string): string {
  if (/^\/(?:oauth|access_token|refresh_access_token)/.test(path)) return 'official-login';
  return `official-${edge === '' ? 'post' : edge}`;
}

/** By its own id, or by the id of one of its comments. */
function postOf(world: World, id: string): WorldPost | undefined {
  return world.posts('instagram').find((post) => mediaIdOf(post) === id) ?? world.findPostOfComment('instagram', id);
}

function login(world: World, { method, url, body }: SiteRequest, path: string): SiteAnswer | null {
  const query = Object.fromEntries(url.searchParams);
  const form: Fields = Object.fromEntries(new URLSearchParams(body));
  switch (`${method} ${path}`) {
    case 'GET /oauth/authorize':
      return authorise(world, 'instagram', url.searchParams);
    case 'POST /oauth/access_token': {
      if (form.client_id !== SIMULATED_APP.appId || form.client_secret !== SIMULATED_APP.appSecret)
        return codeRefused();
      const code = form.code ?? form.fb_exchange_token ?? '';
      const grant = form.code === undefined ? world.official.grantOf(code) : world.official.redeem(code);
      if (grant === undefined) return codeRefused();
      const permissions = ['instagram_business_basic', 'instagram_business_manage_comments'];
      return json({ access_token: world.official.issue({ ...grant }), user_id: grant.accountId, permissions });
    }
    case 'GET /access_token':
      if (query.client_secret !== SIMULATED_APP.appSecret) return error(400, 101, 'Error validating client secret.');
      return longLived(world, query.access_token);
    case 'GET /refresh_access_token':
      return longLived(world, query.access_token);
    default:
      return null;
  }
}

function longLived(world: World, token = ''): SiteAnswer {
  const grant = world.official.grantOf(token);
  if (grant?.state !== 'live') return tokenRefused(grant?.state);
  return json({ access_token: world.official.issue({ ...grant }), expires_in: TOKEN_SECONDS });
}

interface Asked {
  readonly id: string;
  readonly edge: string;
  readonly post: WorldPost | undefined;
}

function graph(world: World, request: SiteRequest, { id, edge, post }: Asked, rule: FailureRule | null): SiteAnswer {
  const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  const grant = world.official.grantOf(token);
  if (grant?.state !== 'live') return tokenRefused(grant?.state);
  const { searchParams: query } = request.url;
  if (id === 'me') return aboutAccount(world, request.method, grant, edge, token);
  if (edge === 'media' && id === grant.accountId) {
    const posts = postsOf(world, grant);
    const shown = (offset: number, limit: number) => posts.slice(offset, offset + limit).map(media);
    return json(listOf(shown, posts.length, query, rule));
  }
  const isOwn = post !== undefined && post.owner.handle === grant.handle;
  if (!isOwn) return error(400, 100, `Unsupported get request. Object with ID '${id}' does not exist`, 33);
  const { thread } = post;
  switch (edge) {
    case '':
      return json(media(post));
    case 'insights':
      return json({ data: [{ name: 'views', period: 'lifetime', values: [{ value: post.counts.views ?? 0 }] }] });
    case 'comments':
      return json(listOf((offset, limit) => newestFirst(post, offset, limit, rule), thread.size, query, rule));
    case 'replies': {
      const shown = (offset: number, limit: number) =>
        (thread.replies(id, offset, limit, 'owner') ?? []).map((each) => comment(post, each));
      return json(listOf(shown, thread.replyCount(id) ?? 0, query, rule));
    }
    default:
      return error(400, 2_500, 'Unknown path components');
  }
}

function aboutAccount(world: World, method: string, grant: Grant, edge: string, token: string): SiteAnswer {
  const { accountId, handle } = grant;
  if (edge === 'subscribed_apps') {
    world.official.subscribe(accountId, method === 'POST');
    return json({ success: true });
  }
  if (edge === '') return json({ id: `9${accountId.slice(1)}`, user_id: accountId, username: handle });
  const account = { id: accountId, username: handle };
  return json({ data: [{ id: '1', access_token: token, instagram_business_account: account }] });
}

function listOf(
  shown: (offset: number, limit: number) => readonly object[],
  total: number,
  query: URLSearchParams,
  rule: FailureRule | null,
): object {
  const limit = Math.min(100, Number(query.get('limit') ?? '25'));
  const { from, next, entries: data } = pageOf(offsetOf(query.get('after')), limit, total, rule, shown);
  const paging = { cursors: { before: cursorOf(from), after: cursorOf(next ?? total) } };
  return { data, paging: next === null ? paging : { ...paging, next: 'https://graph.example/next' } };
}

/** A comment that is written meanwhile moves all others, as it does there. */
function newestFirst(post: WorldPost, offset: number, limit: number, rule: FailureRule | null): readonly object[] {
  const { thread } = post;
  const start = Math.max(0, thread.size - offset - limit);
  const found = thread.page(start, thread.size - offset - start, 'owner').toReversed();
  return found.map((each, index) => {
    const shown = comment(post, each);
    if (index === 0 && rule?.shape === 'nameless-comment') return { ...shown, username: undefined, from: undefined };
    return each.replies === 0 ? shown : { ...shown, replies: inline(post, each) };
  });
}

function inline(post: WorldPost, { id, replies }: WorldComment): object {
  const data = post.thread.replies(id, 0, INLINE_REPLIES, 'owner') ?? [];
  const cursors = { before: cursorOf(0), after: cursorOf(INLINE_REPLIES) };
  const more = replies > INLINE_REPLIES ? { next: 'https://graph.example/next' } : {};
  return { data: data.map((reply) => comment(post, reply)), paging: { cursors, ...more } };
}

const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString().replace('.000Z', '+0000');

function comment(post: WorldPost, given: WorldComment): object {
  return {
    id: given.id,
    text: given.text,
    timestamp: timeOf(given.createdAt),
    username: given.handle,
    from: { id: scopedIdOf(post.platform, given.accountId), username: given.handle },
    like_count: given.likes,
    hidden: given.isHidden,
    ...(given.parentId === null ? {} : { parent_id: given.parentId }),
  };
}

/** Hidden likes are left out. */
function media(post: WorldPost): object {
  const { counts, mediaUrls, thumbnailUrl } = post;
  const isAlbum = post.kind === 'carousel';
  return {
    id: mediaIdOf(post),
    shortcode: post.contentId,
    ...(post.caption === null ? {} : { caption: post.caption }),
    timestamp: timeOf(post.createdAt),
    ...(counts.likes === null ? {} : { like_count: counts.likes }),
    comments_count: counts.comments ?? 0,
    ...(thumbnailUrl === null ? {} : { thumbnail_url: thumbnailUrl }),
    ...(mediaUrls[0] === undefined ? {} : { media_url: mediaUrls[0] }),
    ...(isAlbum ? { children: { data: mediaUrls.map((url) => ({ media_url: url })) } } : {}),
  };
}

const FAILURES: Failures = {
  'token-expired': () => tokenRefused('expired'),
  'token-revoked': () => tokenRefused(),
  'scope-missing': () => error(403, 10, 'Application does not have permission for this action'),
  'usage-spent': () => ({ ...error(403, 4, 'Application request limit reached'), headers: usage(100) }),
  'cursor-refused': () => error(400, 100, 'Invalid parameter: after'),
  'not-found': () => error(400, 100, 'Unsupported get request. Object does not exist', 33),
  drifted: () => json({ data: { first: null }, entries: [{ name: 'a' }], shortcode: 7 }),
  'login-redirect': () => redirect('https://www.facebook.example/login'),
};

function usage(percent: number): Readonly<Record<string, string>> {
  const byCase = [{ type: 'instagram', call_count: percent, estimated_time_to_regain_access: percent >= 100 ? 12 : 0 }];
  return {
    'x-app-usage': JSON.stringify({ call_count: percent, total_time: 3, total_cputime: 2 }),
    'x-business-use-case-usage': JSON.stringify({ 17841: byCase }),
  };
}

function tokenRefused(state?: TokenState): SiteAnswer {
  const [subcode, why] = state === 'expired' ? [463, 'Session has expired'] : [467, 'The session is invalid'];
  return error(401, 190, `Error validating access token: ${why}`, subcode);
}

function codeRefused(): SiteAnswer {
  const message = 'This authorization code has been used';
  return json({ error_type: 'OAuthException', code: 400, error_message: message }, 400);
}

function error(status: number, code: number, message: string, subcode?: number): SiteAnswer {
  const more = subcode === undefined ? {} : { error_subcode: subcode };
  return json({ error: { message, type: 'OAuthException', code, ...more } }, status);
}
