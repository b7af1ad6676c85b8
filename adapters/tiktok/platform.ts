import { DomainError, isDomainError } from '../../core/errors.ts';
import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { isShortLink, type PostRef } from '../../core/platforms/post-url.ts';
import { systemClock } from '../../core/ports/clock.ts';
import type { CommentPage, Platform, PlatformProfile, PostDetails } from '../../core/ports/platform.ts';
import {
  browserHeaders,
  type CallTime,
  createScrapingClient,
  type Identity,
  type JsonObject,
  NAVIGATION_HEADERS,
  SCRIPT_HEADERS,
  type ScrapingClient,
  type ScrapingRequest,
  type Verdict,
} from '../scraping/index.ts';
import { readApi, readPage, redirectTarget } from './answers.ts';
import { parseCursor, readCommentPage } from './comments.ts';
import { tiktokDescriptor } from './descriptor.ts';
import {
  type SignRequest,
  TIKTOK_RATES,
  type TikTokPlatformOptions,
  type TikTokSettings,
  tiktokOptionsSchema,
} from './options.ts';
import { readPost } from './post.ts';
import { SHORT_LINK_HOSTS } from './post-url.ts';
import { emptyProfile, readEmbeddedProfile, readProfile } from './profile.ts';
import { type Hop, isTikTok, linkNotFound, publicUrl, readHop, TIKTOK_ORIGIN } from './short-link.ts';
import { signUrl } from './sign.ts';

const PAGE_SCRIPT = '__UNIVERSAL_DATA_FOR_REHYDRATION__';
/** A kind of page, and the script in it that holds the data. */
interface Page {
  readonly kind: string;
  readonly script: string;
}

const VIDEO_PAGE: Page = { kind: 'video-page', script: PAGE_SCRIPT };
const PROFILE_PAGE: Page = { kind: 'profile-page', script: PAGE_SCRIPT };
const EMBED_PAGE: Page = { kind: 'embed-page', script: '__FRONTITY_CONNECT_STATE__' };
const MAX_HOPS = 5;
/** Set on an identity that has opened a page, and so holds the cookies that the comment API wants to see. */
const VISITED = 'visited';

/**
 * TikTok, read as a logged-out visitor of its public pages and comment API. Likers are `NOT_SUPPORTED`: TikTok shows them to
 * nobody. Options are validated: a mistake throws a `ZodError` that names the option.
 */
export function createTikTokPlatform(options: TikTokPlatformOptions = {}): Platform {
  const settings = tiktokOptionsSchema.parse(options);
  const clock = settings.clock ?? systemClock;
  const baseUrl = settings.baseUrl.replace(/(?<!\/)\/+$/, '');
  const isRealTikTok = isTikTok(new URL(baseUrl));
  const client = createClient(settings, baseUrl);

  /** Opens a page and reads the data in its script. `follow` says where else to look when TikTok redirects. */
  async function openPage<T>(
    time: CallTime,
    page: Page,
    path: string,
    read: (data: JsonObject) => Verdict<T>,
    follow: (target: URL) => string | null = () => null,
  ): Promise<T> {
    const result = await client.call<{ readonly found: T } | { readonly moved: string }>(time, {
      endpoint: 'page',
      kind: page.kind,
      as: 'anonymous',
      request: { url: path, headers: NAVIGATION_HEADERS },
      read: async (response, identity, current) => {
        const target = response.status >= 300 && response.status < 400 ? redirectTarget(response) : null;
        const moved = target === null ? null : follow(target);
        if (moved !== null) return { kind: 'ok', value: { moved } };
        const data = await readPage(response, { identity, clock, signal: current.signal }, page.script);
        current.check();
        if (data.kind !== 'ok') return data;
        identity.memory.set(VISITED, 'yes');
        const verdict = read(data.value);
        return verdict.kind === 'ok' ? { kind: 'ok', value: { found: verdict.value } } : verdict;
      },
    });
    // Once only: the second page is not asked where else to look.
    return 'found' in result ? result.found : await openPage(time, page, result.moved, read);
  }

  /** A post whose author has a new name, or that is a photo, may be redirected to its new address. */
  function openPost(time: CallTime, post: PostRef): Promise<PostDetails> {
    const follow = (target: URL): string | null => {
      const moved = parsePostUrlOf(tiktokDescriptor, publicUrl(target, baseUrl));
      return moved !== null && !isShortLink(moved) && moved.contentId === post.contentId ? postPath(moved) : null;
    };
    return openPage(time, VIDEO_PAGE, postPath(post), (data) => readPost(data, post), follow);
  }

  /** The comment API wants the cookies of a page; the page also says plainly when there is no post to comment on. */
  async function visitFirst(time: CallTime, identity: Identity, post: PostRef): Promise<void> {
    if (identity.memory.has(VISITED)) return;
    try {
      await openPost(time, post);
    } catch (error) {
      // A page that cannot be read, or shows no video for the viewer's age, need not stop the API. What it shows is read, on
      // the first visit as on later ones, which open no page.
      if (!isDomainError(error, 'PLATFORM_UNAVAILABLE', 'POST_AGE_RESTRICTED')) throw error;
    }
    identity.memory.set(VISITED, 'yes');
  }

  async function commentRequest(
    time: CallTime,
    identity: Identity,
    post: PostRef,
    path: string,
  ): Promise<ScrapingRequest> {
    await visitFirst(time, identity, post);
    const url = settings.sign === undefined ? path : await signed(time, settings.sign, `${baseUrl}${path}`);
    return { url, headers: { ...SCRIPT_HEADERS, referer: `${TIKTOK_ORIGIN}${postPath(post)}` } };
  }

  async function signed(time: CallTime, sign: SignRequest, url: string): Promise<string> {
    const { signal } = time;
    try {
      return await signUrl(sign, url, { userAgent: settings.userAgent, signal });
    } catch (error) {
      time.check();
      throw error;
    }
  }

  function commentPage(
    time: CallTime,
    post: PostRef,
    path: string,
    { parentId, isLater }: { readonly parentId: string | null; readonly isLater: boolean },
  ): Promise<CommentPage> {
    return client.call(time, {
      endpoint: 'comments',
      kind: parentId === null ? 'comments' : 'replies',
      as: 'anonymous',
      request: (identity, _send, current) => commentRequest(current, identity, post, path),
      read: async (response, identity, current) => {
        const answer = await readApi(response, { identity, clock, signal: current.signal });
        current.check();
        return answer.kind === 'ok' ? readCommentPage(answer.value, parentId, post.contentId, isLater) : answer;
      },
    });
  }

  function apiPath(path: string, parameters: Readonly<Record<string, string | number>>): string {
    const query = new URLSearchParams({ aid: settings.appId });
    for (const [name, value] of Object.entries(parameters)) query.set(name, String(value));
    return `${path}?${query}`;
  }

  /** Asks one short link where it leads. HEAD is enough, and spares the page; some servers only know GET. */
  async function follow(time: CallTime, link: string): Promise<Hop> {
    const { host, pathname } = new URL(link);
    // Where the base URL is a simulator it stands for every host: its links must not be asked of the real TikTok.
    const url = isRealTikTok && SHORT_LINK_HOSTS.some((each) => each === host) ? link : pathname;
    const ask = (method: 'HEAD' | 'GET'): Promise<Hop | 'try-get'> =>
      client.call<Hop | 'try-get'>(time, {
        endpoint: 'short-link',
        as: 'anonymous',
        request: { method, url, headers: { 'user-agent': settings.linkPreviewUserAgent, accept: '*/*' } },
        read: (response) =>
          method === 'HEAD' && (response.status === 405 || response.status === 501)
            ? { kind: 'ok', value: 'try-get' }
            : readHop(response, baseUrl, clock),
      });
    const first = await ask('HEAD');
    const hop = first === 'try-get' ? await ask('GET') : first;
    if (hop === 'try-get') throw linkNotFound();
    return hop;
  }

  return {
    name: tiktokDescriptor.name,
    supports: { likers: false, replies: true },

    resolveShortLink: (url, callOptions) =>
      client.within(callOptions, url, async (time) => {
        const parsed = parsePostUrlOf(tiktokDescriptor, url);
        if (parsed === null) throw new DomainError('INVALID_REQUEST', 'This is not a TikTok link.');
        if (!isShortLink(parsed)) return parsed.canonicalUrl;
        let link = parsed.url;
        for (let hops = 0; hops < MAX_HOPS; hops += 1) {
          const hop = await follow(time, link);
          if ('post' in hop) return hop.post.canonicalUrl;
          link = hop.next;
        }
        // No end is no word about the post.
        throw new DomainError('PLATFORM_UNAVAILABLE', 'This TikTok link leads on and on; try again later.', {
          details: { reason: 'too-many-redirects', platform: 'tiktok' },
        });
      }),

    getPost: (post, callOptions) =>
      client.within(callOptions, post.contentId, (time) => {
        checkPost(post);
        return openPost(time, post);
      }),

    getComments: (post, cursor, callOptions) =>
      client.within(callOptions, post.contentId, (time) => {
        checkPost(post);
        const path = apiPath('/api/comment/list/', {
          aweme_id: post.contentId,
          count: settings.commentsPerPage,
          cursor: parseCursor(cursor),
        });
        return commentPage(time, post, path, { parentId: null, isLater: cursor !== null });
      }),

    getReplies: (post, commentId, cursor, callOptions) =>
      client.within(callOptions, post.contentId, (time) => {
        checkPost(post);
        if (!/^\d{1,25}$/.test(commentId))
          throw new DomainError('INVALID_REQUEST', 'A TikTok comment id is digits only.');
        const path = apiPath('/api/comment/list/reply/', {
          item_id: post.contentId,
          comment_id: commentId,
          count: settings.commentsPerPage,
          cursor: parseCursor(cursor),
        });
        return commentPage(time, post, path, { parentId: commentId, isLater: cursor !== null });
      }),

    async getLikers() {
      throw new DomainError('NOT_SUPPORTED', 'TikTok shows to nobody who liked a post; use a comment challenge there.');
    },

    getProfile: (handle, callOptions) =>
      client.within(callOptions, `@${handle}`, async (time): Promise<PlatformProfile | null> => {
        const asked = handle.toLowerCase();
        if (!tiktokDescriptor.isHandle(asked)) throw new DomainError('INVALID_REQUEST', 'This is not a TikTok handle.');
        let failure: unknown;
        try {
          const profile = await openPage(time, PROFILE_PAGE, `/@${asked}`, (data) => readProfile(data, asked));
          if (profile !== null) return profile;
        } catch (error) {
          if (!isDomainError(error, 'PLATFORM_UNAVAILABLE') || error.details?.reason === 'region') throw error;
          failure = error;
        }
        const embedded = await openPage(time, EMBED_PAGE, `/embed/@${asked}`, (data) =>
          readEmbeddedProfile(data, asked),
        ).catch(() => {
          time.check();
          // What the profile's own page said is what the caller should know.
          throw failure ?? emptyProfile();
        });
        if (embedded === null && failure !== undefined) throw failure;
        return embedded;
      }),

    close: () => client.close(),
  };
}

function createClient(settings: TikTokSettings, baseUrl: string): ScrapingClient {
  return createScrapingClient({
    platform: tiktokDescriptor,
    baseUrl,
    hosts: SHORT_LINK_HOSTS,
    proxyUrl: settings.proxyUrl,
    pacing: settings.pacing,
    rates: TIKTOK_RATES,
    timeoutMs: settings.timeoutMs,
    attemptTimeoutMs: settings.attemptTimeoutMs,
    maxBodyBytes: settings.maxBodyBytes,
    headers: browserHeaders(settings.userAgent),
    transport: settings.transport,
    limiterConnection: settings.limiterConnection,
    clock: settings.clock,
    random: settings.random,
    logger: settings.logger,
  });
}

/** Photo posts are asked for as videos too: their own path holds no data. The author's name in it does not matter. */
function postPath(post: PostRef): string {
  const user = /^https:\/\/www\.tiktok\.com\/@([a-z0-9._]{1,64})\//i.exec(post.canonicalUrl)?.[1] ?? '_';
  return `/@${user}/video/${post.contentId}`;
}

function checkPost(post: PostRef): void {
  if (post.platform !== 'tiktok' || !/^\d{1,20}$/.test(post.contentId)) {
    throw new DomainError('INVALID_REQUEST', 'This is not a TikTok post.');
  }
}
