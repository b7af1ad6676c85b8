/**
 * Comments. With a session the REST list, which also says how many replies there are. Without one, or when the sessions are
 * refused, the first page from the post's page and further ones from the logged-out query. What a session is shown is read,
 * of age-restricted posts too: its answer does not say that they are.
 */
import { asCount, field, isObject, type JsonObject, type ReadPage } from '../scraping/index.ts';
import type { AskedPost } from './asked.ts';
import { readCommentList } from './comment-list.ts';
import { endsAfter, type ListEnds, missingCursor, type Position, readPosition } from './cursor.ts';
import { type Shown, sessionReader, shownIn, unlessGated } from './gated.ts';
import { isAnotherPost } from './post-address.ts';
import { loadPostPage, unlessGone } from './read-post.ts';
import { drifted } from './refusals.ts';
import { firstThatWorks, isUnreadable, type Way } from './ways.ts';

const FIRST = 50;

type Page = ReadPage<Position>;

/** A later page is read the way the first one was. */
export async function readComments(post: AskedPost, after: Position | null): Promise<Page> {
  if (after !== null) {
    return await unlessGone(post, typeof after === 'string' ? loggedOutPage(post, after) : sessionPage(post, after));
  }
  const askSession = sessionReader(post, () => sessionPage(post, null));
  const ways: Way<Shown<Page>>[] = [
    ...(askSession === null ? [] : [{ name: 'instagram-api', read: askSession, isBelieved: isUnreadable }]),
    // A post that sessions may not see is missing to them, age-restricted ones too: the page tells.
    { name: 'instagram-page', read: () => firstLoggedOutPage(post) },
  ];
  return await unlessGated(post, await firstThatWorks(post.time, ways), askSession);
}

async function sessionPage({ context, time, pk, about }: AskedPost, after: ListEnds | null): Promise<Page> {
  const query = new URLSearchParams({ can_support_threading: 'true', permalink_enabled: 'false' });
  if (after?.max != null) query.set('max_id', after.max);
  else if (after?.min != null) query.set('min_id', after.min);
  const options = { ...about, endpoint: 'comments', as: 'session' } as const;
  return await context.api(time, `/api/v1/media/${pk}/comments/?${query}`, options, (body) => ({
    ...readCommentList(body.comments, { parentId: null, after }, { mediaPk: pk, replies: 'zero-when-absent' }),
    next: endsAfter(
      after,
      [body.has_more_comments, body.next_max_id],
      [body.has_more_headload_comments, body.next_min_id],
    ),
    expectedTotal: asCount(body.comment_count),
  }));
}

async function firstLoggedOutPage(post: AskedPost): Promise<Shown<Page>> {
  const inline = await loadPostPage(post, { patient: true }, (holder) =>
    shownIn(holder, (media) => {
      const connection = connectionOf(holder);
      // Some pages promise comments and hold none, nor a cursor: the query then begins at the beginning.
      const isPromise = field(connection, 'page_info', 'has_next_page') === true;
      const hasCursor = readPosition(field(connection, 'page_info', 'end_cursor')) !== null;
      const expectedTotal = asCount(field(media, 'comment_count'));
      if (isPromise && !hasCursor) return null;
      return { ...readConnection(connection, post, null), expectedTotal, isPostTotal: expectedTotal !== null };
    }),
  );
  return inline ?? (await loggedOutPage(post, null));
}

async function loggedOutPage(post: AskedPost, after: string | null): Promise<Page> {
  const { context, time, pk, about } = post;
  const docId = context.settings.docIds.comments;
  const variables = { after, first: FIRST, media_id: pk };
  const query = { ...about, endpoint: 'comments-query', as: 'anonymous', docId, variables } as const;
  return await context.graphql(time, query, (body) => {
    const media = field(body, 'data', 'xig_polaris_media');
    if (isAnotherPost(media, post)) throw drifted('comments');
    return readConnection(field(media, 'comments_connection'), post, after);
  });
}

function connectionOf(holder: JsonObject): unknown {
  return holder.comments_connection ?? field(holder.if_not_gated_logged_out, 'comments_connection');
}

function readConnection(connection: unknown, { pk }: AskedPost, after: string | null): Page {
  const edges = field(connection, 'edges');
  const pageInfo = field(connection, 'page_info');
  if (!Array.isArray(edges) || !isObject(pageInfo) || typeof pageInfo.has_next_page !== 'boolean') {
    throw drifted('comments');
  }
  const nodes = edges.map((edge: unknown) => field(edge, 'node'));
  const options = { mediaPk: pk, replies: 'unknown-when-absent' } as const;
  const list = readCommentList(nodes, { parentId: null, after }, options);
  const next = pageInfo.has_next_page ? readPosition(pageInfo.end_cursor) : null;
  if (pageInfo.has_next_page && next === null) throw missingCursor();
  return { ...list, next, source: 'instagram-page' };
}
