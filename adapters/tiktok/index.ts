/** TikTok behind the `Platform` port. */
import { checkOptions } from '../../core/configuration-error.ts';
import { DomainError } from '../../core/errors.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { CommentPage, Platform } from '../../core/ports/platform.ts';
import { type CallTime, SCRIPT_HEADERS, scrapedPlatform } from '../scraping/index.ts';
import { readApi } from './answers.ts';
import { parseCursor, readCommentPage } from './comments.ts';
import { createContext, type TikTokContext } from './context.ts';
import { tiktokDescriptor } from './descriptor.ts';
import { type SignRequest, type TikTokOptions, type TikTokPlatformOptions, tiktokOptionsSchema } from './options.ts';
import { openPost, openProfile, postPath, visitFirst } from './pages.ts';
import { resolveLink, TIKTOK_ORIGIN } from './short-link.ts';

export type { OfficialAppOptions as OfficialTikTokOptions } from '../official/index.ts';
export { readCommentPage } from './comments.ts';
export { shownCount } from './counts.ts';
export { tiktokDescriptor } from './descriptor.ts';
export { officialTikTok } from './official/index.ts';
export { officialTikTokOptionsSchema } from './official/options.ts';
export { type SignRequest, type TikTokOptions, type TikTokPlatformOptions, tiktokOptionsSchema } from './options.ts';
export { postOf } from './post.ts';
export { readProfile as readProfilePage } from './profile.ts';
export { readStatus } from './status.ts';

/**
 * TikTok as a value for `createCredence`.
 *
 *     createCredence({ platforms: [tiktok({ proxyUrl: 'http://proxy.example:8080' })] });
 *
 * @throws ConfigurationError that names the option
 */
export function tiktok(options: TikTokOptions = {}): PlatformAdapter {
  const settings = checkOptions('tiktok', tiktokOptionsSchema, options);
  return scrapedPlatform(tiktokDescriptor, settings.pacing, (context) =>
    createTikTokPlatform({ ...settings, ...context }),
  );
}

/**
 * TikTok, read as a logged-out visitor of its public pages and comment API. Likers are `NOT_SUPPORTED`: TikTok shows them to
 * nobody. Options are validated: a mistake throws a `ZodError` that names the option.
 */
export function createTikTokPlatform(options: TikTokPlatformOptions = {}): Platform {
  const context = createContext(tiktokOptionsSchema.parse(options));
  const { client } = context;
  return {
    name: tiktokDescriptor.name,
    supports: { likers: false, replies: true },
    resolveShortLink: (url, call) => client.within(call, url, (time) => resolveLink(context, time, url)),
    getPost: (post, call) =>
      client.within(call, post.contentId, (time) => {
        checkPost(post);
        return openPost(context, time, post);
      }),
    getComments: (post, cursor, call) =>
      client.within(call, post.contentId, (time) => readComments(context, time, post, null, cursor)),
    getReplies: (post, commentId, cursor, call) =>
      client.within(call, post.contentId, (time) => readComments(context, time, post, commentId, cursor)),
    async getLikers() {
      throw new DomainError('NOT_SUPPORTED', 'TikTok shows to nobody who liked a post; use a comment challenge there.');
    },
    getProfile: (handle, call) =>
      client.within(call, `@${handle}`, (time) => {
        const asked = handle.toLowerCase();
        if (tiktokDescriptor.isHandle(asked)) return openProfile(context, time, asked);
        throw new DomainError('INVALID_REQUEST', 'This is not a TikTok handle.');
      }),
    close: () => client.close(),
  };
}

/** A page of comments, or with `commentId` of the replies to that one. */
async function readComments(
  context: TikTokContext,
  time: CallTime,
  post: PostRef,
  commentId: string | null,
  cursor: string | null,
): Promise<CommentPage> {
  const { client, settings, clock, baseUrl } = context;
  checkPost(post);
  if (commentId !== null && !/^\d{1,25}$/.test(commentId)) {
    throw new DomainError('INVALID_REQUEST', 'A TikTok comment id is digits only.');
  }
  const query = new URLSearchParams({
    aid: settings.appId,
    ...(commentId === null ? { aweme_id: post.contentId } : { item_id: post.contentId, comment_id: commentId }),
    count: String(settings.commentsPerPage),
    cursor: String(parseCursor(cursor)),
  });
  const path = `/api/comment/list/${commentId === null ? '' : 'reply/'}?${query}`;
  return await client.call(time, {
    endpoint: 'comments',
    kind: commentId === null ? 'comments' : 'replies',
    as: 'anonymous',
    request: async (identity, _send, current) => {
      await visitFirst(context, current, identity, post);
      const { sign, userAgent } = settings;
      const url = sign === undefined ? path : await signUrl(sign, `${baseUrl}${path}`, userAgent, current);
      return { url, headers: { ...SCRIPT_HEADERS, referer: `${TIKTOK_ORIGIN}${postPath(post)}` } };
    },
    read: async (response, identity, current) => {
      const answer = await readApi(response, { identity, clock, signal: current.signal });
      current.check();
      return answer.kind === 'ok' ? readCommentPage(answer.value, commentId, post.contentId, cursor !== null) : answer;
    },
  });
}

function checkPost(post: PostRef): void {
  if (post.platform !== 'tiktok' || !/^\d{1,20}$/.test(post.contentId)) {
    throw new DomainError('INVALID_REQUEST', 'This is not a TikTok post.');
  }
}

/**
 * Signs the address of an API request. Leaves a signer that does not heed the call's end.
 * @throws `PLATFORM_UNAVAILABLE` when the signer fails, or when it would send the request somewhere else
 */
async function signUrl(sign: SignRequest, url: string, userAgent: string, time: CallTime): Promise<string> {
  const failed = (cause?: unknown): DomainError =>
    new DomainError('PLATFORM_UNAVAILABLE', 'The request to TikTok could not be signed; check the configured signer.', {
      details: { reason: 'sign-failed', platform: 'tiktok' },
      cause,
    });
  const signing = (async () => await sign(url, { userAgent, signal: time.signal }))();
  const result = await time.orEnd(signing).catch((error: unknown) => {
    time.check();
    throw failed(error);
  });
  if (typeof result !== 'string' || !URL.canParse(result)) throw failed();
  const [before, after] = [new URL(url), new URL(result)];
  if (before.origin !== after.origin || before.pathname !== after.pathname) throw failed();
  return after.href;
}
