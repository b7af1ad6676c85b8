/**
 * Comments. With a session the REST list, which also says how many replies there are. Without one, or when the sessions are
 * refused, the first page from the post's page and further ones from the logged-out query. What a session is shown is read,
 * of age-restricted posts too: its answer does not say that they are.
 */
import type { DomainError } from '../../core/errors.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { CommentPage } from '../../core/ports/platform.ts';
import { asCount, asText, type CallTime, field, isObject, type JsonObject } from '../scraping/index.ts';
import { readCommentList } from './comment-list.ts';
import type { InstagramContext, PageRequest } from './context.ts';
import { decodeCursor, encodeCursor, endsAfter, type ListEnds } from './cursor.ts';
import { readGated, rulingOn } from './gated.ts';
import { addressOf, isAnotherPost, type PostAddress } from './post-address.ts';
import { loadPostPage, unlessGone } from './read-post.ts';
import { drifted, unavailable } from './refusals.ts';
import { firstThatWorks, isUnreadable, type Way } from './ways.ts';

const FIRST = 50;

/** The comments, or the ruling by which the post is kept from logged-out readers. */
type Shown = CommentPage | { readonly ruling: JsonObject };

/** A cursor continues the way it came from: the two ways' positions mean nothing to each other. */
export async function readComments(
  context: InstagramContext,
  time: CallTime,
  ref: PostRef,
  cursor: string | null,
): Promise<CommentPage> {
  const post = addressOf(ref);
  if (cursor !== null) {
    const place = decodeCursor(cursor, post.pk);
    if (place.way === 'session') {
      return await unlessGone(context, time, post, sessionPage(context, time, post, place.ends));
    }
    return await unlessGone(context, time, post, loggedOutPage(context, time, post, place.after));
  }
  const hasSessions = context.client.sessionCount > 0;
  let fromSession: Promise<CommentPage> | undefined;
  const askSession = (): Promise<CommentPage> => {
    fromSession ??= sessionPage(context, time, post, null);
    return fromSession;
  };
  const ways: Way<Shown>[] = [
    ...(hasSessions ? [{ name: 'instagram-api', read: askSession, isBelieved: isUnreadable }] : []),
    // A post that sessions may not see is missing to them, age-restricted ones too: the page tells.
    { name: 'instagram-page', read: () => firstLoggedOutPage(context, time, post, { patient: true }) },
  ];
  const shown = await firstThatWorks(time, ways);
  if (!('ruling' in shown)) return shown;
  return await readGated(context, time, post, shown.ruling, hasSessions ? askSession : null);
}

async function sessionPage(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  ends: ListEnds | null,
): Promise<CommentPage> {
  const query = new URLSearchParams({ can_support_threading: 'true', permalink_enabled: 'false' });
  if (ends?.max != null) query.set('max_id', ends.max);
  else if (ends?.min != null) query.set('min_id', ends.min);
  const options = { endpoint: 'comments', as: 'session', subject: 'post', referer: post.path } as const;
  return await context.api(time, `/api/v1/media/${post.pk}/comments/?${query}`, options, (body) => {
    const list = readCommentList(body.comments, {
      mediaPk: post.pk,
      parentId: null,
      replies: 'zero-when-absent',
      isLater: ends !== null,
    });
    const after = endsAfter(
      ends,
      readOpenEnds([body.has_more_comments, body.next_max_id], [body.has_more_headload_comments, body.next_min_id]),
    );
    if (after === 'broken') throw missingCursor();
    return {
      ...list,
      nextCursor: after === null ? null : encodeCursor({ way: 'session', of: post.pk, ends: after }),
      expectedTotal: asCount(body.comment_count),
      source: 'instagram-api',
    };
  });
}

async function firstLoggedOutPage(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  patience: Pick<PageRequest, 'patient'>,
): Promise<Shown> {
  const inline = await loadPostPage(context, time, post, patience, (holder): Shown | null => {
    const ruling = rulingOn(holder);
    if (ruling !== null) return { ruling };
    const connection = connectionOf(holder);
    // Some pages promise comments and hold none, nor a cursor: the query then begins at the beginning.
    const isPromise = field(connection, 'page_info', 'has_next_page') === true;
    const hasCursor = readPosition(field(connection, 'page_info', 'end_cursor')) !== null;
    const total = asCount(field(holder.if_not_gated_logged_out, 'comment_count'));
    return isPromise && !hasCursor ? null : readConnection(connection, post, { postTotal: total, isLater: false });
  });
  return inline ?? (await loggedOutPage(context, time, post, null));
}

async function loggedOutPage(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  after: string | null,
): Promise<CommentPage> {
  const query = {
    endpoint: 'comments-query',
    as: 'anonymous',
    subject: 'post',
    referer: post.path,
    path: '/api/graphql',
    name: 'PolarisLoggedOutDesktopWWWPostCommentsPaginationQuery',
    docId: context.settings.docIds.comments,
    variables: { after, first: FIRST, media_id: post.pk },
  } as const;
  return await context.graphql(time, query, (body) => {
    const media = field(body, 'data', 'xig_polaris_media');
    if (isAnotherPost(media, post)) throw drifted('comments');
    return readConnection(field(media, 'comments_connection'), post, { postTotal: null, isLater: after !== null });
  });
}

function connectionOf(holder: JsonObject): unknown {
  return holder.comments_connection ?? field(holder.if_not_gated_logged_out, 'comments_connection');
}

function readConnection(
  connection: unknown,
  post: PostAddress,
  { postTotal, isLater }: { readonly postTotal: number | null; readonly isLater: boolean },
): CommentPage {
  const edges = field(connection, 'edges');
  const pageInfo = field(connection, 'page_info');
  if (!Array.isArray(edges) || !isObject(pageInfo) || typeof pageInfo.has_next_page !== 'boolean') {
    throw drifted('comments');
  }
  const nodes = edges.map((edge: unknown) => field(edge, 'node'));
  const page = {
    ...readCommentList(nodes, { mediaPk: post.pk, parentId: null, replies: 'unknown-when-absent', isLater }),
    expectedTotal: postTotal,
    isPostTotal: postTotal !== null,
    source: 'instagram-page',
  };
  if (!pageInfo.has_next_page) return { ...page, nextCursor: null };
  const after = readPosition(pageInfo.end_cursor);
  if (after === null) throw missingCursor();
  return { ...page, nextCursor: encodeCursor({ way: 'page', of: post.pk, after }) };
}

type FlagAndPosition = readonly [flag: unknown, position: unknown];

/**
 * What a REST page says of the list's two ends.
 * @throws `drifted` when it gives a place to continue at without a word whether there is more: that is not the list's end
 */
export function readOpenEnds(max: FlagAndPosition, min: FlagAndPosition): Parameters<typeof endsAfter>[1] {
  const page = {
    hasMax: readFlag(max[0]),
    nextMax: readPosition(max[1]),
    hasMin: readFlag(min[0]),
    nextMin: readPosition(min[1]),
  };
  const isUnsaid = ([flag, position]: FlagAndPosition) => flag == null && readPosition(position) !== null;
  if (!page.hasMax && !page.hasMin && (isUnsaid(max) || isUnsaid(min))) throw drifted('comments');
  return page;
}

/** Left out means false. @throws `drifted` for anything but a boolean */
function readFlag(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw drifted('comments');
  return value;
}

/** A cursor, as text; null for the end of a list. */
export function readPosition(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : asText(value, 2048);
  return text === '' ? null : text;
}

export function missingCursor(): DomainError {
  return unavailable('missing-cursor', 'Instagram says there are more comments, but not where');
}
