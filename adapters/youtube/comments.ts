/** `commentThreads.list` and `comments.list` as pages of comments. */
import { normaliseHandle } from '../../core/platforms/handle.ts';
import { decoded } from '../../core/platforms/post-url.ts';
import type { PlatformComment } from '../../core/ports/platform.ts';
import {
  asCount,
  asIsoTime,
  asText,
  DRIFTED,
  type Entry,
  field,
  isObject,
  type JsonObject,
  type ReadPage,
  type ReadPlace,
  readThreads,
  type Verdict,
} from '../scraping/index.ts';
import { itemsOf } from './list.ts';

const MAX_TEXT = 20_000;
export const TOP_LEVEL_ID = /^[A-Za-z0-9_-]{16,100}$/;
/** A comment's id; a reply's has the parent's before a dot. */
const COMMENT_ID = /^[A-Za-z0-9_-]{16,100}(?:\.[A-Za-z0-9_-]{1,100})?$/;

/** Top-level comments, with the few replies that come with each, or replies. An entry of another video or thread is not read. */
export function readPage(body: JsonObject, videoId: string, place: ReadPlace): Verdict<ReadPage> {
  const next = body.nextPageToken === undefined ? null : asText(body.nextPageToken, 2_048);
  if (next === '' || (body.nextPageToken !== undefined && next === null)) return DRIFTED;
  const read = (entry: unknown, parentId: string | null): Entry<PlatformComment> => {
    if (parentId !== null) return readComment(entry, { videoId, parentId }, 0);
    if (!names(field(entry, 'snippet', 'videoId'), videoId)) return 'misplaced';
    const replyCount = asCount(field(entry, 'snippet', 'totalReplyCount'));
    return readComment(field(entry, 'snippet', 'topLevelComment'), { videoId, parentId }, replyCount);
  };
  const inlineOf = (entry: unknown) => field(entry, 'replies', 'comments');
  const list = readThreads(itemsOf(body), place, { read, inlineOf });
  // Without a total: only `videos.list` counts the comments.
  return list === null ? DRIFTED : { kind: 'ok', value: { ...list, next } };
}

/** Where an entry belongs. */
interface Place {
  readonly videoId: string;
  readonly parentId: string | null;
}

/** Whether an id is the one that belongs here, or none. */
function names(id: unknown, expected: string | null): boolean {
  return id === undefined || expected === null || id === expected;
}

function readComment(item: unknown, { videoId, parentId }: Place, replyCount: number | null): Entry<PlatformComment> {
  const snippet = field(item, 'snippet');
  if (!isObject(item) || !isObject(snippet)) return 'drifted';
  if (!names(snippet.videoId, videoId) || !names(snippet.parentId, parentId)) return 'misplaced';
  const id = asText(item.id, 202);
  const text = asText(snippet.textOriginal, MAX_TEXT) ?? asText(snippet.textDisplay, MAX_TEXT);
  const createdAt = asIsoTime(snippet.publishedAt);
  if (id === null || !COMMENT_ID.test(id) || text === null || createdAt === null) return 'drifted';
  const authorId = asText(field(snippet, 'authorChannelId', 'value'), 64) || null;
  const username = authorOf(snippet, authorId) ?? (authorId === null ? null : '');
  if (username === null) return 'unreadable';
  const likeCount = asCount(snippet.likeCount);
  return { read: { id, parentId, username, authorId, text, createdAt, likeCount, replyCount } };
}

/**
 * The author's handle, which the API shows as the display name and in the channel's URL. A name that is no handle could be
 * anybody's choice: such an author goes by the channel, in a form that no handle has. Null if name or URL show a handle that the
 * other does not confirm: that may be anybody, also the creator who is looked for.
 */
function authorOf(snippet: JsonObject, channelId: string | null): string | null {
  const name = asText(snippet.authorDisplayName, 200)?.trim() ?? '';
  if (name === '') return null;
  const url = asText(snippet.authorChannelUrl, 500) ?? '';
  const shown = /\.com\/(@[^/]+)\/?$/.exec(decoded(url))?.[1];
  if (name.length > 1 && name.startsWith('@')) {
    const isConfirmed = url === '' || (shown !== undefined && normaliseHandle(shown) === normaliseHandle(name));
    return isConfirmed ? name.slice(1) : null;
  }
  return shown !== undefined || channelId === null ? null : `channel/${channelId}`;
}
