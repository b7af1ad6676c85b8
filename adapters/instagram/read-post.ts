/** Post details: the logged-out page, else the API with a session, else the logged-out queries. A gated post needs the session. */

import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { PostDetails } from '../../core/ports/platform.ts';
import { type CallTime, field, findObjects, isObject, type JsonObject } from '../scraping/index.ts';
import type { InstagramContext, PageRequest } from './context.ts';
import { instagramDescriptor } from './descriptor.ts';
import { readGated, rulingOn } from './gated.ts';
import { findQueried, isQueried, readMedia, readQueried } from './media.ts';
import type { InstagramPage } from './page.ts';
import { addressOf, isSamePost, type PostAddress } from './post-address.ts';
import { drifted, unanswered, unlessDecided } from './refusals.ts';
import { firstThatWorks, isTransient, type Way } from './ways.ts';

/** Its name from when it was the older of two queries: `source` of what it reads. */
const SHORTCODE_QUERY = 'instagram-graphql-older';

/** The post, or the ruling by which it is kept from logged-out readers. */
type Shown = { readonly details: PostDetails } | { readonly ruling: JsonObject };

export async function readPost(context: InstagramContext, time: CallTime, ref: PostRef): Promise<PostDetails> {
  const post = addressOf(ref);
  const hasSessions = context.client.sessionCount > 0;
  let fromSession: Promise<PostDetails> | undefined;
  const askSession = (): Promise<PostDetails> => {
    fromSession ??= fromApi(context, time, post);
    return fromSession;
  };
  const ways: Way<Shown>[] = [
    { name: 'instagram-page', read: () => fromPage(context, time, post, hasSessions) },
    ...(hasSessions ? [{ name: 'instagram-api', read: async () => ({ details: await askSession() }) }] : []),
    ...context.settings.docIds.post.map((docId) => ({
      name: 'instagram-graphql',
      read: () => fromGraphql(context, time, post, docId),
    })),
    {
      name: SHORTCODE_QUERY,
      read: async () => ({ details: await fromShortcodeQuery(context, time, post) }),
    },
  ];
  const shown = await firstThatWorks(time, ways);
  if ('details' in shown) return shown.details;
  return await readGated(context, time, post, shown.ruling, hasSessions ? askSession : null);
}

/** The post's own object in a page or an answer: the owner's timeline repeats the code, but not this field. */
export function findPost(document: unknown, post: PostAddress): JsonObject | null {
  const holders = findObjects(document, (object) => Object.hasOwn(object, 'if_not_gated_logged_out'));
  return (
    holders.find((holder) => isSamePost(holder, post)) ??
    holders.find((holder) => isSamePost(holder.if_not_gated_logged_out, post)) ??
    null
  );
}

/** Loads the post's page; follows one redirect between the forms of its path. */
export async function loadPostPage<T>(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  patience: Pick<PageRequest, 'patient' | 'pacePatienceMs'>,
  parse: (holder: JsonObject) => T,
): Promise<T> {
  const load = (path: string) =>
    context.page(time, { path, subject: 'post', ...patience }, (page): { value: T } | { movedTo: string } => {
      if (page.redirectedTo !== null) return { movedTo: movedTo(page.redirectedTo, post) };
      return { value: parse(holderIn(page, post)) };
    });
  const first = await load(post.path);
  if ('value' in first) return first.value;
  const second = await load(first.movedTo);
  if ('value' in second) return second.value;
  throw drifted('a redirect');
}

/**
 * Lets the post's page decide when one session alone does not find the post.
 * @throws what the page says if it is clear (gone, private); what `read` fails with otherwise
 */
export async function unlessGone<T>(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  read: Promise<T>,
): Promise<T> {
  return await unlessDecided(read, async () => {
    await loadPostPage(context, time, post, { patient: false }, () => null).catch((failure: unknown) => {
      time.check();
      if (!isTransient(failure)) throw failure;
    });
  });
}

async function fromPage(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  hasOtherWays: boolean,
): Promise<Shown> {
  // However long the caller has: the logged-out queries need not wait for the pages' pace.
  const patience = { patient: !hasOtherWays, pacePatienceMs: context.settings.timeoutMs };
  return await loadPostPage(context, time, post, patience, (holder) => shownOrGated(holder, post, 'instagram-page'));
}

/** With a session. */
export async function fromApi(context: InstagramContext, time: CallTime, post: PostAddress): Promise<PostDetails> {
  const options = { endpoint: 'media-info', as: 'session', subject: 'post', referer: post.path } as const;
  return await context.api(time, `/api/v1/media/${post.pk}/info/`, options, (body) => {
    const item = field(body, 'items', 0);
    if (!isObject(item) || !isSamePost(item, post)) throw drifted('a post');
    const details = readMedia(item, post.ref, 'instagram-api');
    if (details === null) throw drifted('a post');
    return details;
  });
}

async function fromGraphql(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  docId: string,
): Promise<Shown> {
  const query = {
    endpoint: 'post-query',
    as: 'anonymous',
    subject: 'post',
    referer: post.path,
    path: '/api/graphql',
    name: 'PolarisLoggedOutDesktopWWWPostRootContentQuery',
    docId,
    variables: { media_id: post.pk },
    patient: false,
  } as const;
  return await context.graphql(time, query, (body) => {
    const holder = findPost(body.data, post);
    if (holder === null) throw drifted('a post');
    return shownOrGated(holder, post, 'instagram-graphql');
  });
}

async function fromShortcodeQuery(context: InstagramContext, time: CallTime, post: PostAddress): Promise<PostDetails> {
  const query = {
    endpoint: 'shortcode-query',
    as: 'anonymous',
    subject: 'post',
    referer: post.path,
    path: '/graphql/query',
    name: 'PolarisPostRootQuery',
    docId: context.settings.docIds.olderPost,
    variables: { shortcode: post.ref.contentId },
    patient: false,
  } as const;
  return await context.graphql(time, query, (body) => {
    const shown = findQueried(body.data);
    // Asked when better ways have failed: it says null to readers who are shown nothing, of posts that are there.
    if (shown === null) throw unanswered('a post');
    if (shown === undefined || !isQueried(shown, post.pk)) throw drifted('a post');
    const details = readQueried(shown, post.ref, SHORTCODE_QUERY);
    if (details === null) throw drifted('a post');
    return details;
  });
}

function holderIn(page: InstagramPage, post: PostAddress): JsonObject {
  for (const document of page.documents) {
    const holder = findPost(document, post);
    if (holder !== null) return holder;
  }
  throw drifted('a post');
}

function shownOrGated(holder: JsonObject, post: PostAddress, source: string): Shown {
  const ruling = rulingOn(holder);
  if (ruling !== null) return { ruling };
  const media = holder.if_not_gated_logged_out;
  const details = isObject(media) ? readMedia(media, post.ref, source) : null;
  if (details === null) throw drifted('a post');
  return { details };
}

/** The path as it is: without the owner in it, it would be redirected again. */
function movedTo(path: string, post: PostAddress): string {
  const parsed = parsePostUrlOf(instagramDescriptor, `https://www.instagram.com${path}`);
  if (parsed?.contentType !== 'post' || parsed.contentId !== post.ref.contentId) throw drifted('a redirect');
  return path;
}
