/** Pages of posts and profiles, opened as a visitor. */
import { isDomainError } from '../../core/errors.ts';
import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { isShortLink, type PostRef } from '../../core/platforms/post-url.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import {
  type CallTime,
  type Identity,
  type JsonObject,
  NAVIGATION_HEADERS,
  type ReadPost,
  type Verdict,
} from '../scraping/index.ts';
import { readPage, redirectTarget } from './answers.ts';
import type { TikTokContext } from './context.ts';
import { tiktokDescriptor } from './descriptor.ts';
import { readPost } from './post.ts';
import { emptyProfile, readEmbeddedProfile, readProfile } from './profile.ts';
import { publicUrl } from './short-link.ts';

/** Set on an identity that has opened a page, and so holds the cookies that the comment API wants to see. */
const VISITED = 'visited';

/** The script of each kind of page that holds its data. */
const SCRIPTS = {
  'video-page': '__UNIVERSAL_DATA_FOR_REHYDRATION__',
  'profile-page': '__UNIVERSAL_DATA_FOR_REHYDRATION__',
  'embed-page': '__FRONTITY_CONNECT_STATE__',
} as const;

/** Opens a page and reads the data in its script. `follow` says where else to look when TikTok redirects. */
async function openPage<T>(
  context: TikTokContext,
  time: CallTime,
  page: { readonly kind: keyof typeof SCRIPTS; readonly path: string },
  read: (data: JsonObject) => Verdict<T>,
  follow: (target: URL) => string | null = () => null,
): Promise<T> {
  const result = await context.client.call<{ readonly found: T } | { readonly moved: string }>(time, {
    endpoint: 'page',
    kind: page.kind,
    as: 'anonymous',
    request: { url: page.path, headers: NAVIGATION_HEADERS },
    read: async (response, identity, current) => {
      const target = response.status >= 300 && response.status < 400 ? redirectTarget(response) : null;
      const moved = target === null ? null : follow(target);
      if (moved !== null) return { kind: 'ok', value: { moved } };
      const data = await readPage(response, { identity, signal: current.signal }, SCRIPTS[page.kind]);
      current.check();
      if (data.kind !== 'ok') return data;
      identity.memory.set(VISITED, 'yes');
      const verdict = read(data.value);
      return verdict.kind === 'ok' ? { kind: 'ok', value: { found: verdict.value } } : verdict;
    },
  });
  // Once only: the second page is not asked where else to look.
  return 'found' in result ? result.found : await openPage(context, time, { ...page, path: result.moved }, read);
}

/** A post whose author has a new name, or that is a photo, may be redirected to its new address. */
export function openPost(context: TikTokContext, time: CallTime, post: PostRef): Promise<ReadPost> {
  const follow = (target: URL): string | null => {
    const moved = parsePostUrlOf(tiktokDescriptor, publicUrl(target, context.baseUrl));
    return moved !== null && !isShortLink(moved) && moved.contentId === post.contentId ? postPath(moved) : null;
  };
  return openPage(
    context,
    time,
    { kind: 'video-page', path: postPath(post) },
    (data) => readPost(data, post.contentId),
    follow,
  );
}

/** The comment API wants the cookies of a page; the page also says plainly when there is no post to comment on. */
export async function visitFirst(
  context: TikTokContext,
  time: CallTime,
  identity: Identity,
  post: PostRef,
): Promise<void> {
  if (identity.memory.has(VISITED)) return;
  try {
    await openPost(context, time, post);
  } catch (error) {
    // A page that cannot be read, or shows no video for the viewer's age, need not stop the API. What it shows is read, on
    // the first visit as on later ones, which open no page.
    if (!isDomainError(error, 'PLATFORM_UNAVAILABLE', 'POST_AGE_RESTRICTED')) throw error;
  }
  identity.memory.set(VISITED, 'yes');
}

/** The profile's page, else the page for embedding it elsewhere. Null if both show nobody. */
export async function openProfile(
  context: TikTokContext,
  time: CallTime,
  handle: string,
): Promise<PlatformProfile | null> {
  const own = { kind: 'profile-page', path: `/@${handle}` } as const;
  const embed = { kind: 'embed-page', path: `/embed/@${handle}` } as const;
  let failure: unknown;
  try {
    const profile = await openPage(context, time, own, (data) => readProfile(data, handle));
    if (profile !== null) return profile;
  } catch (error) {
    if (!isDomainError(error, 'PLATFORM_UNAVAILABLE') || error.details?.reason === 'region') throw error;
    failure = error;
  }
  const reading = openPage(context, time, embed, (data) => readEmbeddedProfile(data, handle));
  const embedded = await reading.catch(() => {
    time.check();
    // What the profile's own page said is what the caller should know.
    throw failure ?? emptyProfile();
  });
  if (embedded === null && failure !== undefined) throw failure;
  return embedded;
}

/** Photo posts are asked for as videos too: their own path holds no data. The author's name in it does not matter. */
export function postPath(post: PostRef): string {
  const user = /^https:\/\/www\.tiktok\.com\/@([a-z0-9._]{1,64})\//i.exec(post.canonicalUrl)?.[1] ?? '_';
  return `/@${user}/video/${post.contentId}`;
}
