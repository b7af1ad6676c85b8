/** `commentThreads.list` and `comments.list` as pages of comments. */
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { PlatformComment } from '../../core/ports/platform.ts';
import {
  asCount,
  asText,
  countUnnamed,
  type Entry,
  field,
  isObject,
  type JsonObject,
  type ListPlace,
  readEntries,
  type Verdict,
} from '../scraping/index.ts';
import { asIsoTime, DRIFTED, itemsOf } from './list.ts';

const MAX_TEXT = 20_000;
/** A comment's id; a reply's has the parent's before a dot. */
const COMMENT_ID = /^[A-Za-z0-9_-]{16,100}(?:\.[A-Za-z0-9_-]{1,100})?$/;

export interface Page {
  readonly comments: readonly PlatformComment[];
  readonly skipped: number;
  /** The API's own page token. */
  readonly next: string | null;
}

interface Thread {
  readonly comments: readonly PlatformComment[];
  readonly skipped: number;
}

export function isCommentId(text: string): boolean {
  return COMMENT_ID.test(text) && !text.includes('.');
}

/** Where an entry belongs. */
interface Place {
  readonly videoId: string;
  readonly parentId: string | null;
}

/** Top-level comments, with the few replies that come with each. An entry that names another video is not read. */
export function readThreads(body: JsonObject, videoId: string, place?: ListPlace): Verdict<Page> {
  return readPage(body, (item) => readThread(item, videoId), place);
}

/** Replies to one comment. An entry that names another video, or another thread, is not read. */
export function readReplies(body: JsonObject, place: Place): Verdict<Page> {
  const read = (item: unknown): Entry<Thread> => {
    const comment = readComment(item, place, 0);
    return typeof comment === 'object' ? { read: { comments: [comment.read], skipped: 0 } } : comment;
  };
  return readPage(body, read, { isLater: true });
}

function readPage(body: JsonObject, read: (item: unknown) => Entry<Thread>, place?: ListPlace): Verdict<Page> {
  const items = itemsOf(body);
  const next = body.nextPageToken === undefined ? null : asText(body.nextPageToken, 2_048);
  if (items === null || next === '' || (body.nextPageToken !== undefined && next === null)) return DRIFTED;
  const threads = readEntries(items, read, place);
  if (threads === null) return DRIFTED;
  const comments = threads.entries.flatMap((thread) => thread.comments);
  const skipped = threads.entries.reduce((sum, thread) => sum + thread.skipped, threads.skipped);
  return { kind: 'ok', value: { comments, skipped: skipped + countUnnamed(comments), next } };
}

function readThread(item: unknown, videoId: string): Entry<Thread> {
  if (!names(field(item, 'snippet', 'videoId'), videoId)) return 'misplaced';
  const replyCount = asCount(field(item, 'snippet', 'totalReplyCount'));
  const top = readComment(field(item, 'snippet', 'topLevelComment'), { videoId, parentId: null }, replyCount);
  if (typeof top !== 'object') return top;
  const inline = field(item, 'replies', 'comments') ?? [];
  const place = { videoId, parentId: top.read.id };
  const replies = Array.isArray(inline) ? readEntries(inline, (each) => readComment(each, place, 0)) : null;
  // They have a list of their own, which is asked for if their number is not known.
  if (replies === null) return { read: { comments: [{ ...top.read, replyCount: null }], skipped: 0 } };
  return { read: { comments: [top.read, ...replies.entries], skipped: replies.skipped } };
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

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
