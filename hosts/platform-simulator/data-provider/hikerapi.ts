/** A simulated HikerAPI over the same world: Instagram as its app is answered, without any platform's own refusals. */
import { restReplies } from '../instagram/comments.ts';
import { restComment, restMediaShape, sessionProfileShape } from '../instagram/media.ts';
import { findByPk, likersShape } from '../instagram/rest.ts';
import { type Failures, json, redirect, type SiteAnswer, type SiteRequest } from '../messages.ts';
import { commentPage, cursorOf, offsetOf } from '../paging.ts';
import { createSite, type PlatformSite } from '../site.ts';
import type { World, WorldPost } from '../world.ts';
import type { FailureRule } from '../world-inputs.ts';
import { SIMULATED_PROVIDER_KEY } from './site.ts';

/** Paths that ScrapeCreators does not have. */
export const HIKERAPI_PATH = /^\/v2\/(?:media|user)\//;

const PAGE = 15;

const SUBJECTS: Readonly<Record<string, string>> = {
  '/v2/media/info/by/code': 'post',
  '/v2/media/comments': 'comments',
  '/v2/media/comments/replies': 'replies',
  '/v2/media/likers': 'likers',
  '/v2/user/by/username': 'profile',
};

export function createHikerApiSite(world: World): PlatformSite {
  return createSite(world, (request) => {
    const { pathname, searchParams: query } = request.url;
    const subject = SUBJECTS[pathname] ?? 'other';
    const pk = query.get('id') ?? query.get('media_id') ?? '';
    const code = query.get('code');
    const post = code === null ? findByPk(world, pk) : world.findPost('instagram', code);
    const profile = world.findProfile('instagram', query.get('username') ?? '');
    return {
      platform: 'instagram',
      via: 'provider',
      endpoint: `provider-${subject}`,
      contentId: post?.contentId,
      handle: profile?.handle,
      answer(rule) {
        if (request.headers['x-access-key'] !== SIMULATED_PROVIDER_KEY) return refused(403, 'Invalid access key');
        if (rule?.shape === 'drifted') return json({ media_or_ad: 'none', user: {}, response: { comments: {} } });
        if (subject === 'other') return lost();
        if (subject === 'profile')
          return profile === undefined ? userNotFound() : json({ user: sessionProfileShape(profile), status: 'ok' });
        if (post === undefined) return mediaNotFound();
        if (post.owner.isPrivate) return privateAccount();
        return postAnswer(subject, post, request, rule);
      },
      failures: failuresOf(subject),
    };
  });
}

function postAnswer(subject: string, post: WorldPost, request: SiteRequest, rule: FailureRule | null): SiteAnswer {
  const { searchParams: query } = request.url;
  if (subject === 'post') {
    return json({ media_or_ad: restMediaShape(post, rule?.shape === 'hidden-counts'), status: 'ok' });
  }
  if (subject === 'likers') return json(likersShape(post));
  if (subject === 'comments') return json(comments(post, query.get('page_id'), rule));
  const replies = restReplies(post, query.get('comment_id') ?? '', query.get('min_id'), rule, {
    size: PAGE,
    byMax: false,
  });
  return replies === null ? refused(404, 'Entries not found') : json(replies);
}

function comments(post: WorldPost, position: string | null, rule: FailureRule | null): object {
  const page = commentPage(post, { of: null, offset: offsetOf(position), size: PAGE }, rule);
  return {
    response: {
      comment_count: post.thread.total,
      comments: page.as(restComment),
      has_more_comments: false,
      has_more_headload_comments: page.next !== null,
      status: 'ok',
    },
    next_page_id: page.next === null ? null : cursorOf(page.next),
  };
}

const lost = () => refused(404, 'Not Found');
const userNotFound = () => refused(404, 'User not found', 'UserNotFound');
const mediaNotFound = () => refused(404, 'Media not found or unavailable', 'MediaNotFound');
const privateAccount = () => refused(404, 'This account is private', 'PrivateAccount');

function failuresOf(subject: string): Failures {
  return {
    'provider-key': () => refused(403, 'Invalid access key'),
    'provider-credits': () => refused(402, 'Top up your account', 'InsufficientFunds'),
    'provider-lost': lost,
    'unknown-route': lost,
    'provider-error': () => json({ status: 'fail', detail: 'Something went wrong, please try again' }),
    'login-redirect': () => redirect('https://hikerapi.example/login'),
    'not-found': subject === 'profile' ? userNotFound : mediaNotFound,
    private: privateAccount,
    'age-restricted': () => refused(404, 'This post is age restricted'),
  };
}

function refused(status: number, detail: string, name?: string): SiteAnswer {
  return json({ detail, ...(name === undefined ? {} : { exc_type: name }) }, status);
}
