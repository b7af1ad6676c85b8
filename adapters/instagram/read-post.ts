/** Post details: the logged-out page, else the API with a session, else the logged-out queries. A gated post needs the session. */
import { parsePostUrlOf } from '../../core/platforms/descriptor.ts';
import { field, findObjects, isObject, type JsonObject, type ReadPost } from '../scraping/index.ts';
import type { AskedPost } from './asked.ts';
import type { PageRequest } from './context.ts';
import { instagramDescriptor } from './descriptor.ts';
import { type Shown, sessionReader, shownIn, unlessGated } from './gated.ts';
import { findQueried, isQueried, readMedia, readQueried } from './media.ts';
import type { InstagramPage } from './page.ts';
import { isSamePost, type PostAddress } from './post-address.ts';
import { drifted, unanswered, unlessDecided } from './refusals.ts';
import { firstThatWorks, isTransient, type Way } from './ways.ts';

/** Its name from when it was the older of two queries: `source` of what it reads. */
const SHORTCODE_QUERY = 'instagram-graphql-older';

export async function readPost(post: AskedPost): Promise<ReadPost> {
  const { docIds } = post.context.settings;
  const askSession = sessionReader(post, () => fromApi(post));
  const ways: Way<Shown<ReadPost>>[] = [
    { name: 'instagram-page', read: () => fromPage(post, askSession !== null) },
    ...(askSession === null ? [] : [{ name: 'instagram-api', read: askSession }]),
    ...docIds.post.map((docId) => ({ name: 'instagram-graphql', read: () => fromGraphql(post, docId) })),
    { name: SHORTCODE_QUERY, read: () => fromShortcodeQuery(post) },
  ];
  return await unlessGated(post, await firstThatWorks(post.time, ways), askSession);
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
  post: AskedPost,
  patience: Pick<PageRequest, 'patient' | 'pacePatienceMs'>,
  parse: (holder: JsonObject) => T,
): Promise<T> {
  const load = (path: string) =>
    post.context.page(post.time, { path, subject: 'post', ...patience }, (page): { value: T } | { movedTo: string } => {
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
export async function unlessGone<T>(post: AskedPost, read: Promise<T>): Promise<T> {
  return await unlessDecided(read, async () => {
    await loadPostPage(post, { patient: false }, () => null).catch((failure: unknown) => {
      post.time.check();
      if (!isTransient(failure)) throw failure;
    });
  });
}

async function fromPage(post: AskedPost, hasOtherWays: boolean): Promise<Shown<ReadPost>> {
  // However long the caller has: the logged-out queries need not wait for the pages' pace.
  const patience = { patient: !hasOtherWays, pacePatienceMs: post.context.settings.timeoutMs };
  return await loadPostPage(post, patience, (holder) => shownIn(holder, detailsOf('instagram-page')));
}

/** With a session. */
export async function fromApi(post: AskedPost): Promise<ReadPost> {
  const { context, time, pk, about } = post;
  const options = { ...about, endpoint: 'media-info', as: 'session' } as const;
  return await context.api(time, `/api/v1/media/${pk}/info/`, options, (body) => {
    const item = field(body, 'items', 0);
    if (!isSamePost(item, post)) throw drifted('a post');
    return detailsOf('instagram-api')(item);
  });
}

async function fromGraphql(post: AskedPost, docId: string): Promise<Shown<ReadPost>> {
  const { context, time, pk, about } = post;
  const variables = { media_id: pk };
  const query = { ...about, endpoint: 'post-query', as: 'anonymous', docId, variables, patient: false } as const;
  return await context.graphql(time, query, (body) => {
    const holder = findPost(body.data, post);
    if (holder === null) throw drifted('a post');
    return shownIn(holder, detailsOf('instagram-graphql'));
  });
}

async function fromShortcodeQuery({ context, time, ref, pk, about }: AskedPost): Promise<ReadPost> {
  const docId = context.settings.docIds.olderPost;
  const variables = { shortcode: ref.contentId };
  const query = { ...about, endpoint: 'shortcode-query', as: 'anonymous', docId, variables, patient: false } as const;
  return await context.graphql(time, query, (body) => {
    const shown = findQueried(body.data);
    // Asked when better ways have failed: it says null to readers who are shown nothing, of posts that are there.
    if (shown === null) throw unanswered('a post');
    const details = shown && isQueried(shown, pk) ? readQueried(shown) : null;
    if (details === null) throw drifted('a post');
    return { ...details, source: SHORTCODE_QUERY };
  });
}

function holderIn(page: InstagramPage, post: PostAddress): JsonObject {
  const holder = page.documents.map((document) => findPost(document, post)).find((found) => found !== null);
  if (holder === undefined) throw drifted('a post');
  return holder;
}

const detailsOf =
  (source: string) =>
  (media: unknown): ReadPost => {
    const details = isObject(media) ? readMedia(media) : null;
    if (details === null) throw drifted('a post');
    return { ...details, source };
  };

/** The path as it is: without the owner in it, it would be redirected again. */
function movedTo(path: string, post: PostAddress): string {
  const parsed = parsePostUrlOf(instagramDescriptor, `https://www.instagram.com${path}`);
  if (parsed?.contentType !== 'post' || parsed.contentId !== post.ref.contentId) throw drifted('a redirect');
  return path;
}
