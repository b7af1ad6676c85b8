/** The simulated TikTok: pages, comment API and short links over a world. */
import { cookieOf, html, json, redirect, type SiteRequest } from '../messages.ts';
import { createSite, type PlatformSite, type Route } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { commentList } from './comments.ts';
import { endpoint, statusAnswer } from './failures.ts';
import { itemStruct, userInfo } from './item.ts';
import { embedPage, pageWithoutData, rehydrationPage } from './pages.ts';
import { wafPage, wafPassed } from './waf.ts';

const MAX_COMMENTS_PER_PAGE = 50;
const LINK_PREVIEW_AGENT = /facebookexternalhit|whatsapp|telegrambot|twitterbot|slackbot|discordbot|linkedinbot/i;

export function createTikTokSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const asked = route(world, request);
    const waf = (status: number, isSolvable: boolean) => () =>
      wafPassed(request) ? asked.answer(null) : { ...wafPage(world.seed, isSolvable), status };
    return {
      platform: 'tiktok',
      ...asked,
      failures: {
        ...asked.failures,
        waf: waf(200, true),
        'waf-unsolvable': waf(200, false),
        'waf-forbidden': waf(403, true),
      },
    };
  });
}

function route(world: World, request: SiteRequest): Route {
  const { pathname, searchParams } = request.url;
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;

  const post = /^\/@([A-Za-z0-9._]{0,30})\/(video|photo)\/(\d{1,20})$/.exec(path);
  if (post?.[3] !== undefined) return postPage(world, post[3], post[2] === 'photo');

  const profile = /^(\/embed)?\/@([A-Za-z0-9._]{1,30})$/.exec(path);
  if (profile?.[2] !== undefined) {
    return profile[1] === undefined ? profilePage(world, profile[2]) : embeddedProfile(world, profile[2], path);
  }
  if (path === '/api/comment/list') return comments(world, request, searchParams.get('aweme_id') ?? '', null);
  if (path === '/api/comment/list/reply') {
    return comments(world, request, searchParams.get('item_id') ?? '', searchParams.get('comment_id') ?? '');
  }
  if (world.findShortLink('tiktok', path) !== undefined || /^\/(t\/)?[A-Za-z0-9]{5,12}$/.test(path)) {
    return shortLink(world, request, path);
  }
  return endpoint('other', 'post-page', {}, () => ({ ...pageWithoutData(), status: 404 }));
}

function postPage(world: World, contentId: string, asPhoto: boolean): Route {
  return endpoint('post-page', 'post-page', { contentId }, (rule) => {
    // Photo paths are rendered in the browser: their page holds no item.
    if (asPhoto) return rehydrationPage({});
    const post = world.findPost('tiktok', contentId);
    if (post === undefined) return statusAnswer('post-page', 'not-found');
    if (rule?.shape === 'moved' || rule?.shape === 'moved-elsewhere') {
      const id = rule.shape === 'moved' ? contentId : `${contentId}9`;
      return redirect(`https://www.tiktok.com/@${post.owner.handle}.renamed/video/${id}?lang=en`, 301);
    }
    if (post.owner.isPrivate) return statusAnswer('post-page', 'private-account');
    return rehydrationPage({
      'webapp.video-detail': {
        itemInfo: { itemStruct: bentItem(post, rule) },
        statusCode: 0,
        statusMsg: '',
      },
    });
  });
}

function bentItem(post: WorldPost, rule: FailureRule | null): Record<string, unknown> {
  const item = itemStruct(post);
  if (rule?.shape === 'classified-without-video') {
    const { video: _video, imagePost: _images, ...rest } = item;
    return { ...rest, isContentClassified: true };
  }
  if (rule?.shape === 'drifted') return { ...item, author: post.owner.handle, statsV2: { plays: 'many' } };
  return item;
}

function profilePage(world: World, handle: string): Route {
  return endpoint('profile-page', 'profile-page', { handle }, (rule) => {
    const profile = world.findProfile('tiktok', handle);
    if (profile === undefined) return statusAnswer('profile-page', 'not-found');
    const info = userInfo(profile);
    const bent =
      rule?.shape === 'empty-profile'
        ? { user: {}, stats: {} }
        : rule?.shape === 'drifted'
          ? { ...info, user: { uid: profile.accountId, name: profile.handle } }
          : info;
    return rehydrationPage({
      'webapp.user-detail': {
        userInfo: bent,
        statusCode: profile.isPrivate ? 10222 : 0,
        statusMsg: '',
      },
    });
  });
}

function embeddedProfile(world: World, handle: string, path: string): Route {
  return endpoint('embed-profile', 'profile-page', { handle }, (rule) => {
    const profile = world.findProfile('tiktok', handle);
    if (profile === undefined) return embedPage(path, { code: 404 });
    if (rule?.shape === 'empty-profile') return embedPage(path, {});
    if (rule?.shape === 'drifted') return embedPage(path, { name: profile.handle });
    return embedPage(path, {
      id: profile.accountId,
      uniqueId: profile.handle,
      secUid: profile.secUid ?? '',
      nickname: profile.displayName,
      signature: profile.bio,
      avatarThumbUrl: profile.avatarUrl,
      verified: profile.isVerified,
      privateAccount: profile.isPrivate,
      followerCount: Number(profile.followers.toPrecision(3)),
      followingCount: profile.following,
    });
  });
}

function comments(world: World, request: SiteRequest, contentId: string, commentId: string | null): Route {
  return endpoint(commentId === null ? 'comments' : 'replies', 'api', { contentId }, (rule) => {
    const { searchParams } = request.url;
    const count = Number(searchParams.get('count') ?? '20');
    const cursor = Number(searchParams.get('cursor') ?? '0');
    const isWelcome =
      cookieOf(request, 'ttwid') !== undefined &&
      (request.headers.referer ?? '') !== '' &&
      searchParams.get('aid') === '1988' &&
      Number.isSafeInteger(count) &&
      count >= 1 &&
      count <= MAX_COMMENTS_PER_PAGE &&
      Number.isSafeInteger(cursor) &&
      cursor >= 0;
    // The real API refuses without a word: 200 and no bytes.
    if (!isWelcome) return { status: 200, headers: { 'content-type': 'application/json' }, body: '' };
    const post = world.findPost('tiktok', contentId);
    if (post === undefined) return statusAnswer('api', 'not-found');
    if (rule?.shape === 'drifted') return json({ status_code: 0, comments: { first: {} }, has_more: 'yes' });
    return commentList(post, commentId, cursor, count, rule);
  });
}

function shortLink(world: World, request: SiteRequest, path: string): Route {
  return endpoint('short-link', 'post-page', {}, () => {
    if (!LINK_PREVIEW_AGENT.test(request.headers['user-agent'] ?? '')) {
      return html('<!DOCTYPE html><html><head><title>TikTok</title></head><body>Open the app</body></html>');
    }
    const target = world.findShortLink('tiktok', path) ?? null;
    // Good links carry `_r=1` too; only the bare front page means that the post is gone.
    return redirect(`https://www.tiktok.com${target ?? '/'}?_r=1${target === null ? '' : '&_t=simulated'}`, 301);
  });
}
