/** TikTok behind the `Platform` port. */
import { checkOptions } from '../../core/configuration-error.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { Platform } from '../../core/ports/platform.ts';
import {
  type CallTime,
  createReader,
  type ReadPage,
  type ReadPlace,
  refusalOf,
  SCRIPT_HEADERS,
  scrapedPlatform,
} from '../scraping/index.ts';
import { readApi } from './answers.ts';
import { position, readCommentPage } from './comments.ts';
import { createContext, type TikTokContext } from './context.ts';
import { tiktokDescriptor } from './descriptor.ts';
import { type SignRequest, type TikTokOptions, type TikTokPlatformOptions, tiktokOptionsSchema } from './options.ts';
import { openPost, openProfile, postPath, visitFirst } from './pages.ts';
import { followLink, TIKTOK_ORIGIN } from './short-link.ts';

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
  return createReader({
    client,
    descriptor: tiktokDescriptor,
    source: 'tiktok-api',
    isPost: ({ contentId }) => /^\d{1,20}$/.test(contentId),
    commentId: /^\d{1,25}$/,
    position,
    readPost: async (time, post) => ({ ...(await openPost(context, time, post)), source: 'tiktok-page' }),
    readComments: (time, post, place) => readComments(context, time, post, place),
    readLikers: 'TikTok shows to nobody who liked a post; use a comment challenge there.',
    readProfile: (time, handle) => openProfile(context, time, handle),
    followLink: (time, url) => followLink(context, time, url),
  });
}

/** The most that the API gives without a signature. */
const COMMENTS = '50';

async function readComments(
  context: TikTokContext,
  time: CallTime,
  post: PostRef,
  place: ReadPlace,
): Promise<ReadPage> {
  const { client, settings, baseUrl } = context;
  const { parentId, after } = place;
  const query = new URLSearchParams({
    aid: settings.appId,
    ...(parentId === null ? { aweme_id: post.contentId } : { item_id: post.contentId, comment_id: parentId }),
    count: COMMENTS,
    cursor: after ?? '0',
  });
  const path = `/api/comment/list/${parentId === null ? '' : 'reply/'}?${query}`;
  return await client.call(time, {
    endpoint: 'comments',
    kind: parentId === null ? 'comments' : 'replies',
    as: 'anonymous',
    request: async (identity, _send, current) => {
      await visitFirst(context, current, identity, post);
      const { sign, userAgent } = settings;
      const url = sign === undefined ? path : await signUrl(sign, `${baseUrl}${path}`, userAgent, current);
      return { url, headers: { ...SCRIPT_HEADERS, referer: `${TIKTOK_ORIGIN}${postPath(post)}` } };
    },
    read: async (response, identity, current) => {
      const answer = await readApi(response, { identity, signal: current.signal });
      current.check();
      return answer.kind === 'ok' ? readCommentPage(answer.value, place, post.contentId) : answer;
    },
  });
}

/**
 * Signs the address of an API request. Leaves a signer that does not heed the call's end.
 * @throws `PLATFORM_UNAVAILABLE` when the signer fails, or when it would send the request somewhere else
 */
async function signUrl(sign: SignRequest, url: string, userAgent: string, time: CallTime): Promise<string> {
  const message = 'The request to TikTok could not be signed; check the configured signer.';
  const failed = (cause?: unknown) => refusalOf('tiktok', 'PLATFORM_UNAVAILABLE', message, 'sign-failed', cause);
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
