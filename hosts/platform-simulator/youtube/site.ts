/** A simulated YouTube Data API v3: its paths, its lists and its errors. */
import { type Failures, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { commentPage, cursorOf, offsetOf } from '../paging.ts';
import { createSite, type PlatformSite } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { accountIdOf, channel, comment, commentIdOf, listOf, thread, video } from './shapes.ts';

/** The one key that it takes. */
export const SIMULATED_YOUTUBE_KEY = 'simulated-youtube-key';

type Resource = 'videos' | 'channels' | 'commentThreads' | 'comments';
const RESOURCES: readonly Resource[] = ['videos', 'channels', 'commentThreads', 'comments'];

export function createYouTubeSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const { pathname, searchParams: query } = request.url;
    const resource = RESOURCES.find((each) => pathname === `/youtube/v3/${each}`);
    const hasKey = request.headers['x-goog-api-key'] === SIMULATED_YOUTUBE_KEY;
    return {
      platform: 'youtube',
      endpoint: resource ?? 'other',
      contentId: query.get('videoId') ?? (resource === 'videos' ? (query.get('id') ?? undefined) : undefined),
      handle: query.get('forHandle')?.replace(/^@/, ''),
      answer(rule) {
        if (resource === undefined)
          return { status: 404, body: '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>' };
        return hasKey ? answer(world, resource, request, rule) : keyInvalid();
      },
      failures: failuresOf(resource),
    };
  });
}

function answer(
  world: World,
  resource: Resource,
  { url: { searchParams: query } }: SiteRequest,
  rule: FailureRule | null,
): SiteAnswer {
  switch (resource) {
    case 'videos': {
      const post = world.findPost('youtube', query.get('id') ?? '');
      return json(listOf('video', post === undefined || post.owner.isPrivate ? [] : [video(post)]));
    }
    case 'channels':
      return channels(world, query);
    case 'commentThreads': {
      const post = world.findPost('youtube', query.get('videoId') ?? '');
      return post === undefined ? videoNotFound() : json(comments(post, null, query, rule));
    }
    case 'comments': {
      const parentId = commentIdOf(query.get('parentId') ?? '');
      const post = world.findPostOfComment('youtube', parentId);
      if (post === undefined) return error(404, 'commentNotFound', 'The specified comment could not be found.');
      return json(comments(post, parentId, query, rule));
    }
  }
}

/** By handle or by id. The real API leaves `items` out of an answer about nobody. */
function channels(world: World, query: URLSearchParams): SiteAnswer {
  const accountId = accountIdOf(query.get('id') ?? '') ?? '';
  const handle = query.get('forHandle')?.replace(/^@/, '');
  const found = handle === undefined ? world.findAccount('youtube', accountId) : world.findProfile('youtube', handle);
  if (found !== undefined) return json(listOf('channel', [channel(found)]));
  return json({ kind: 'youtube#channelListResponse', pageInfo: { totalResults: 0 } });
}

function comments(post: WorldPost, of: string | null, query: URLSearchParams, rule: FailureRule | null): object {
  const size = Math.min(100, Number(query.get('maxResults') ?? '20'));
  const page = commentPage(post, { of, offset: offsetOf(query.get('pageToken')), size }, rule);
  const items = page.entries.map((each) => (of === null ? thread(post, each) : comment(post, each)));
  const token = page.next === null ? undefined : cursorOf(page.next);
  const kind = of === null ? 'commentThread' : 'comment';
  return listOf(kind, rule?.shape === 'nameless-comment' ? items.map(nameless) : items, token);
}

/** The first one, as comments of accounts that are gone are shown. */
function nameless(item: object, index: number): object {
  if (index > 0) return item;
  return JSON.parse(
    JSON.stringify(item, (name, value: unknown) => {
      if (name === 'authorChannelId' || name === 'authorChannelUrl') return undefined;
      return name === 'authorDisplayName' ? '' : value;
    }),
  ) as object;
}

function failuresOf(resource: Resource | undefined): Failures {
  const isList = resource === 'videos' || resource === 'channels';
  const notFound = () => (isList ? json(listOf(resource.slice(0, -1), [])) : videoNotFound());
  const message = 'The video identified by the videoId parameter has disabled comments.';
  return {
    'not-found': notFound,
    private: notFound,
    drifted: () => json({ kind: 'youtube#listResponse', entries: [{ name: 'a' }], items: [{ snippet: [] }] }),
    'login-redirect': () => redirect('https://accounts.google.example/ServiceLogin'),
    'quota-exceeded': () =>
      error(403, 'quotaExceeded', 'The request cannot be completed because you have exceeded your quota.'),
    'too-fast': () => error(403, 'rateLimitExceeded', 'The request was sent too fast.'),
    'key-invalid': keyInvalid,
    'comments-disabled': () => (resource === 'commentThreads' ? error(403, 'commentsDisabled', message) : null),
    'processing-failure': () =>
      error(400, 'processingFailure', 'The API server failed to successfully process the request.'),
  };
}

function videoNotFound(): SiteAnswer {
  return error(404, 'videoNotFound', 'The video identified by the videoId parameter could not be found.');
}

function error(code: number, reason: string, message: string): SiteAnswer {
  return json({ error: { code, message, errors: [{ message, reason }] } }, code);
}

/** As Google's front door refuses a key. */
function keyInvalid(): SiteAnswer {
  const message = 'API key not valid. Please pass a valid API key.';
  const errors = [{ message, reason: 'badRequest' }];
  return json({ error: { code: 400, message, errors, details: [{ reason: 'API_KEY_INVALID' }] } }, 400);
}
