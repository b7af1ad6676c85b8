/** A simulated data provider with ScrapeCreators' paths over the same world: what it answers is what the platforms show. */

import type { PlatformName } from 'credence/kit';
import { type Failures, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { commentPage, cursorOf, offsetOf } from '../paging.ts';
import { SIMULATED_PLATFORMS } from '../platforms.ts';
import { createSite, type PlatformSite } from '../site.ts';
import { commentList } from '../tiktok/comments.ts';
import { statusAnswer } from '../tiktok/failures.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { ACCOUNT, instagramComment, instagramPost, instagramProfile, tiktokProfile, tiktokVideo } from './shapes.ts';

/** The one key that it takes. */
export const SIMULATED_PROVIDER_KEY = 'simulated-provider-key';

const TIKTOK_PAGE = 50;
const INSTAGRAM_PAGE = 15;

type Subject = 'post' | 'profile' | 'comments' | 'replies';

interface Route {
  readonly platform: PlatformName;
  readonly subject: Subject;
}

const ROUTES: Readonly<Record<string, Route>> = {
  '/v1/instagram/post': { platform: 'instagram', subject: 'post' },
  '/v1/instagram/profile': { platform: 'instagram', subject: 'profile' },
  '/v2/instagram/post/comments': { platform: 'instagram', subject: 'comments' },
  '/v1/instagram/post/comment/replies': { platform: 'instagram', subject: 'replies' },
  '/v2/tiktok/video': { platform: 'tiktok', subject: 'post' },
  '/v1/tiktok/profile': { platform: 'tiktok', subject: 'profile' },
  '/v1/tiktok/video/comments': { platform: 'tiktok', subject: 'comments' },
  '/v1/tiktok/video/comment/replies': { platform: 'tiktok', subject: 'replies' },
};

export function createDataProviderSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const { searchParams: query, pathname } = request.url;
    const route = ROUTES[pathname];
    const post = SIMULATED_PLATFORMS.parsePostUrl(query.get('url') ?? '');
    const contentId = post?.contentType === 'post' && post.platform === route?.platform ? post.contentId : undefined;
    const handle = query.get('handle') ?? undefined;
    const hasKey = request.headers['x-api-key'] === SIMULATED_PROVIDER_KEY;
    return {
      platform: route?.platform ?? 'unknown',
      via: 'provider',
      endpoint: `provider-${route?.subject ?? 'other'}`,
      contentId,
      handle,
      answer(rule) {
        if (route === undefined) return unknownRoute(request);
        return hasKey ? answer(world, route, contentId, handle, request, rule) : refused(401, 'Invalid API key');
      },
      failures: route === undefined ? {} : failuresOf(route, request),
    };
  });
}

function answer(
  world: World,
  { platform, subject }: Route,
  contentId: string | undefined,
  handle: string | undefined,
  request: SiteRequest,
  rule: FailureRule | null,
): SiteAnswer {
  if (subject === 'profile') return profileAnswer(world, platform, handle, rule);
  if (contentId === undefined) return refused(400, 'Please provide the url of a post');
  const post = world.findPost(platform, contentId);
  if (post === undefined) return missingPost(platform);
  if (subject === 'post') return postAnswer(post, rule);
  const { searchParams } = request.url;
  const commentId = subject === 'replies' ? (searchParams.get('comment_id') ?? '') : null;
  const cursor = searchParams.get('cursor');
  if (rule?.shape === 'drifted') return json({ ...ACCOUNT, comments: { first: null }, has_more: 'yes', cursor: {} });
  if (platform === 'instagram') return json(instagramPage(post, commentId, offsetOf(cursor), rule));
  return commentList(post, commentId, Number(cursor ?? '0'), TIKTOK_PAGE, rule);
}

/** The end is told by a missing cursor. Only pages of replies say `has_more`. */
function instagramPage(post: WorldPost, of: string | null, offset: number, rule: FailureRule | null): object {
  const page = commentPage(post, { of, offset, size: INSTAGRAM_PAGE }, rule);
  return {
    ...ACCOUNT,
    comments: page.as(instagramComment),
    cursor: page.next === null ? null : cursorOf(page.next),
    ...(of === null ? {} : { has_more: page.next !== null }),
  };
}

function postAnswer(post: WorldPost, rule: FailureRule | null): SiteAnswer {
  const isDrifted = rule?.shape === 'drifted';
  if (post.platform === 'instagram') {
    if (post.owner.isPrivate) return refused(400, 'Not authorized to view user');
    return json(isDrifted ? { ...ACCOUNT, data: { media: {} } } : instagramPost(post));
  }
  if (post.owner.isPrivate) return withheld(10222, '');
  const video = tiktokVideo(post);
  const detail = isDrifted ? { ...video, author: post.owner.handle, statistics: 'many' } : video;
  return json({ aweme_detail: detail, status_code: 0, status_msg: '' });
}

function profileAnswer(
  world: World,
  platform: PlatformName,
  handle: string | undefined,
  rule: FailureRule | null,
): SiteAnswer {
  if (handle === undefined) return refused(400, 'Please provide a handle');
  const profile = world.findProfile(platform, handle);
  if (profile === undefined) return refused(404, 'User not found');
  const isInstagram = platform === 'instagram';
  if (rule?.shape === 'empty-profile')
    return json({ ...ACCOUNT, ...(isInstagram ? { data: { user: {} } } : { user: {} }) });
  if (rule?.shape === 'drifted') {
    const user = { name: profile.handle };
    return json({ ...ACCOUNT, ...(isInstagram ? { data: { user } } : { user }) });
  }
  return json(isInstagram ? instagramProfile(profile) : tiktokProfile(profile));
}

/** Instagram's words come in the provider's envelope, TikTok's as TikTok's app has them. */
function failuresOf({ platform, subject }: Route, request: SiteRequest): Failures {
  const isPost = subject === 'post';
  return {
    'provider-key': () => refused(401, 'Invalid API key'),
    'provider-credits': () => refused(402, 'You are out of credits'),
    'provider-forbidden': () => refused(403, 'Forbidden'),
    'provider-account': () => refused(404, 'API account not found'),
    'provider-lost': () => refused(404, 'Not Found'),
    'provider-error': () => json({ success: false, message: 'Something went wrong, please try again' }),
    'unknown-route': () => unknownRoute(request),
    'login-redirect': () => redirect('https://app.scrapecreators.example/login'),
    'not-found': () => (subject === 'profile' ? refused(404, 'User not found') : missingPost(platform)),
    private: () => {
      if (platform === 'instagram') return refused(400, 'Not authorized to view user');
      return isPost ? withheld(10204, 'author_secret') : statusAnswer('api', 'private');
    },
    'age-restricted': () => {
      if (platform === 'instagram') return refused(400, 'This post is age restricted');
      return isPost ? withheld(10204, 'content_classification') : statusAnswer('api', 'age-restricted');
    },
  };
}

function missingPost(platform: PlatformName): SiteAnswer {
  return platform === 'instagram' ? refused(404, 'Post not found') : withheld(10204, "item doesn't exist");
}

/** How TikTok's app is told that there is no video for it. */
function withheld(code: number, reason: string): SiteAnswer {
  return json({ aweme_detail: null, status_code: code, status_msg: reason });
}

function refused(status: number, message: string): SiteAnswer {
  return json({ success: false, message }, status);
}

function unknownRoute({ method, url }: SiteRequest): SiteAnswer {
  return json({ statusCode: 404, error: 'Not Found', message: `Route ${method}:${url.pathname} not found` }, 404);
}
