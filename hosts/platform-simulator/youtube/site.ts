/** A simulated YouTube Data API v3: its paths, its lists and its errors. */
import type { CommentThread } from '../comment-thread.ts';
import { type Failures, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { cursorOf, offsetOf, step } from '../paging.ts';
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
      if (post === undefined) return videoNotFound();
      const page = (offset: number, limit: number) => post.thread.page(offset, limit).map((each) => thread(post, each));
      return json(pageOf('commentThread', page, post.thread.size, query, rule));
    }
    case 'comments': {
      const parentId = commentIdOf(query.get('parentId') ?? '');
      const post = ownerOf(world, parentId);
      if (post === undefined) return error(404, 'commentNotFound', 'The specified comment could not be found.');
      const page = (offset: number, limit: number) =>
        (post.thread.replies(parentId, offset, limit) ?? []).map((each) => comment(post, each));
      return json(pageOf('comment', page, post.thread.replyCount(parentId) ?? 0, query, rule));
    }
  }
}

/** By handle or by id. The real API leaves `items` out of an answer about nobody. */
function channels(world: World, query: URLSearchParams): SiteAnswer {
  const accountId = accountIdOf(query.get('id') ?? '');
  const handle = query.get('forHandle')?.replace(/^@/, '');
  const found =
    handle === undefined
      ? [...world.profiles()].find((each) => each.platform === 'youtube' && each.accountId === accountId)
      : world.findProfile('youtube', handle);
  if (found !== undefined) return json(listOf('channel', [channel(found)]));
  return json({ kind: 'youtube#channelListResponse', etag: 'e', pageInfo: { totalResults: 0, resultsPerPage: 5 } });
}

/** Comment ids are unique in the world. */
function ownerOf(world: World, commentId: string): WorldPost | undefined {
  const has = (thread: CommentThread): boolean => commentId !== '' && thread.replyCount(commentId) !== null;
  return [...world.posts()].find((post) => post.platform === 'youtube' && has(post.thread));
}

function pageOf(
  kind: string,
  page: (offset: number, limit: number) => readonly object[],
  total: number,
  query: URLSearchParams,
  rule: FailureRule | null,
): object {
  const limit = Math.min(100, Number(query.get('maxResults') ?? '20'));
  const { from, next, isEmpty } = step(offsetOf(query.get('pageToken')), limit, total, rule);
  const items = isEmpty ? [] : page(from, limit);
  const token = next === null ? undefined : cursorOf(next);
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
  return json({ error: { code, message, errors: [{ message, domain: 'youtube', reason }] } }, code);
}

/** As Google's front door refuses a key. */
function keyInvalid(): SiteAnswer {
  const message = 'API key not valid. Please pass a valid API key.';
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
  };
  const errors = [{ message, domain: 'global', reason: 'badRequest' }];
  return json({ error: { code: 400, message, errors, status: 'INVALID_ARGUMENT', details: [info] } }, 400);
}
