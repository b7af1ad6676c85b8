/** How the Graph API is asked for the posts of a connected account, and how its answers are read. */
import { isDomainError } from '../../../core/errors.ts';
import type { PlatformComment, PostDetails } from '../../../core/ports/platform.ts';
import type { Ask, OfficialDialect, Place } from '../../official/index.ts';
import {
  asBoolean,
  asCount,
  asDigits,
  asIsoTime,
  asText,
  asUrl,
  DRIFTED,
  type Entry,
  field,
  isIntact,
  isObject,
  type JsonObject,
  optional,
  optionalText,
  type ReadPage,
  readAuthor,
  readThreads,
  type Verdict,
} from '../../scraping/index.ts';
import { instagramDescriptor } from '../descriptor.ts';
import { readAnswer } from './answers.ts';
import type { OfficialInstagramSettings } from './options.ts';

const MEDIA_FIELDS =
  'id,shortcode,media_type,caption,timestamp,like_count,comments_count,thumbnail_url,media_url,children{media_url}';
const REPLY_FIELDS = 'id,text,timestamp,username,from,like_count,hidden,parent_id';
const COMMENT_FIELDS = `${REPLY_FIELDS},replies.limit(50){${REPLY_FIELDS}}`;
/** The most that the API gives. */
const COMMENTS = '50';
const MEDIA = '100';
/** Pages of an account's own posts in which one is looked for: its newest thousand. */
const MAX_MEDIA_PAGES = 10;
const MAX_IMAGES = 100;
const endpoint = 'official';

type Settings = Pick<OfficialInstagramSettings, 'appId' | 'version' | 'insights'>;

export function createDialect({ appId, version, insights }: Settings): OfficialDialect {
  const urlOf = (path: string, query: Readonly<Record<string, string>>) =>
    `/${version}/${path}?${new URLSearchParams(query)}`;

  async function viewsOf(ask: Ask, apiId: string): Promise<number | null> {
    if (!insights) return null;
    const url = urlOf(`${apiId}/insights`, { metric: 'views' });
    try {
      return await ask({ endpoint, kind: 'official-insights', url, read: readViews, isOptional: true });
    } catch (error) {
      // Some kinds of post have none, and some accounts were connected without the permission.
      const reason = isDomainError(error) ? error.details?.reason : undefined;
      if (reason === 'token-scope' || reason === 'bad-parameter') return null;
      throw error;
    }
  }

  return {
    descriptor: instagramDescriptor,
    source: 'instagram-graph',
    isPost: ({ contentId }) => /^[A-Za-z0-9_-]{1,64}$/.test(contentId),
    commentId: /^\d{1,30}$/,
    headersOf: (accessToken) => ({ authorization: `Bearer ${accessToken}` }),
    readAnswer,

    async find(ask, accountId, contentId) {
      let after: string | null = null;
      for (let page = 0; page < MAX_MEDIA_PAGES; page += 1) {
        const query = { fields: 'id,shortcode', limit: MEDIA, ...(after === null ? {} : { after }) };
        const url = urlOf(`${accountId}/media`, query);
        const list: MediaPage = await ask({ endpoint, kind: 'official-media', url, read: readMediaPage });
        const found = list.media.find(({ shortcode }) => shortcode === contentId);
        if (found !== undefined) return { contentId, apiId: found.id, accountId };
        if (list.next === null) break;
        after = list.next;
      }
      return null;
    },

    async readPost(ask, { apiId, contentId }) {
      const url = urlOf(apiId, { fields: MEDIA_FIELDS });
      const details = await ask({
        endpoint,
        kind: 'official-post',
        url,
        read: (body) => (body.shortcode === contentId ? readMedia(body) : { kind: 'unreadable', reason: 'wrong-post' }),
      });
      return { ...details, stats: { ...details.stats, views: await viewsOf(ask, apiId) } };
    },

    readComments(ask, place) {
      const { parentId, after } = place;
      const path = parentId === null ? `${place.apiId}/comments` : `${parentId}/replies`;
      const fields = parentId === null ? COMMENT_FIELDS : REPLY_FIELDS;
      return ask({
        endpoint,
        kind: parentId === null ? 'official-comments' : 'official-replies',
        url: urlOf(path, { fields, limit: COMMENTS, ...(after === null ? {} : { after }) }),
        isLater: after !== null,
        read: (body) => readList(body, place, appId),
        // A comment that was deleted has taken its replies along.
        ...(parentId === null
          ? {}
          : { gone: { kind: 'ok', value: { comments: [], skipped: 0, next: null } } as const }),
      });
    },
  };
}

/** Where a list continues; null at its end, undefined if that cannot be read: a list that is whole by contract must say where it ends. */
function nextOf(body: unknown): string | null | undefined {
  if (field(body, 'paging', 'next') === undefined) {
    return field(body, 'data', 0) === undefined || isObject(field(body, 'paging', 'cursors')) ? null : undefined;
  }
  return asText(field(body, 'paging', 'cursors', 'after'), 1_500) || undefined;
}

interface MediaPage {
  readonly media: readonly { readonly id: string; readonly shortcode: string | null }[];
  readonly next: string | null;
}

function readMediaPage(body: JsonObject): Verdict<MediaPage> {
  const next = nextOf(body);
  if (!Array.isArray(body.data) || next === undefined) return DRIFTED;
  const media = body.data.slice(0, 200).map((entry: unknown) => ({
    id: asDigits(field(entry, 'id')),
    shortcode: asText(field(entry, 'shortcode'), 64),
  }));
  const isReadable = (each: (typeof media)[number]): each is MediaPage['media'][number] => each.id !== null;
  return media.every(isReadable) ? { kind: 'ok', value: { media: media.filter(isReadable), next } } : DRIFTED;
}

function readMedia(body: JsonObject): Verdict<Pick<PostDetails, 'post' | 'stats'>> {
  const children = field(body, 'children', 'data');
  const parts = Array.isArray(children) && children.length > 0 ? children.slice(0, MAX_IMAGES) : [body];
  const mediaUrls = parts.map((part: unknown) => asUrl(field(part, 'media_url'))).filter((url) => url !== null);
  const facts = {
    caption: optionalText(body.caption),
    // Left out if the owner hides it.
    likes: optional(body.like_count, asCount),
    comments: optional(body.comments_count, asCount),
  };
  const postedAt = asIsoTime(body.timestamp);
  if (!isIntact(facts) || postedAt === null) return DRIFTED;
  const { caption, likes, comments } = facts;
  return {
    kind: 'ok',
    value: {
      post: { caption, postedAt, thumbnailUrl: asUrl(body.thumbnail_url) ?? asUrl(body.media_url), mediaUrls },
      stats: { views: null, likes, comments, shares: null, saves: null },
    },
  };
}

function readViews(body: JsonObject): Verdict<number | null> {
  const value = field(body, 'data', 0, 'values', 0, 'value') ?? field(body, 'data', 0, 'total_value', 'value');
  return { kind: 'ok', value: asCount(value) };
}

function readList(body: JsonObject, place: Place, appId: string): Verdict<ReadPage> {
  const next = nextOf(body);
  const list = readThreads(body.data, place, {
    read: (entry, parentId) => readComment(entry, parentId, appId),
    inlineOf: (entry) => field(entry, 'replies', 'data'),
  });
  return list === null || next === undefined ? DRIFTED : { kind: 'ok', value: { ...list, next } };
}

function readComment(entry: unknown, parentId: string | null, appId: string): Entry<PlatformComment> {
  if (!isObject(entry)) return 'drifted';
  const parent = entry.parent_id;
  if (parent !== undefined && parent !== null && asDigits(parent) !== parentId) return 'misplaced';
  const id = asDigits(entry.id);
  const text = optionalText(entry.text);
  const createdAt = asIsoTime(entry.timestamp);
  const isHidden = optional(entry.hidden, asBoolean);
  const number = asDigits(field(entry, 'from', 'id'));
  const author = readAuthor(entry.username ?? field(entry, 'from', 'username') ?? '', number, 100);
  if (author === 'unreadable') return author;
  if (id === null || text === undefined || createdAt === null || isHidden === undefined || author === 'drifted') {
    return 'drifted';
  }
  return {
    read: {
      id,
      parentId,
      username: author.username,
      scopedAuthorId: number === null ? null : `${appId}/${number}`,
      ...(isHidden === null ? {} : { isHidden }),
      text: text ?? '',
      createdAt,
      likeCount: asCount(entry.like_count),
      replyCount: parentId === null ? repliesOf(entry) : 0,
    },
  };
}

/** The API does not count them, and leaves out what is empty: all that came inline, unless they continue. */
function repliesOf({ replies }: JsonObject): number | null {
  if (replies === undefined) return 0;
  const data = field(replies, 'data');
  return Array.isArray(data) && nextOf(replies) === null ? data.length : null;
}
