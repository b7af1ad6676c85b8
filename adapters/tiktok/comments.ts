/** The comment API's pages, of comments and of replies. */
import { z } from 'zod';
import type { PlatformComment } from '../../core/ports/platform.ts';
import {
  asAccountNumber,
  asCount,
  asDigits,
  asText,
  asUnixTime,
  DRIFTED,
  type Entry,
  field,
  isObject,
  type JsonObject,
  type ReadPage,
  type ReadPlace,
  readAuthor,
  readThreads,
  type Verdict,
} from '../scraping/index.ts';
import { readStatus } from './status.ts';

/** TikTok's own number of where a list continues. */
export const position = z.string().regex(/^(?:0|[1-9]\d{0,15})$/);

/**
 * One page. An entry that names another post than `postId`, or another thread, is not read: the answer was meant for that one. The
 * total is passed on and not looked at: it includes what is hidden and never adds up; the end is where `has_more` says so. The
 * cursor is TikTok's, not computed, since pages may hold fewer comments than were asked for.
 */
export function readCommentPage(body: JsonObject, place: ReadPlace, postId: string): Verdict<ReadPage> {
  const status = readStatus('post', body.status_code, body.status_msg);
  if (status !== null) return status;
  const hasMore = readFlag(body.has_more);
  const cursor = asCount(body.cursor);
  if (hasMore === null || (hasMore && cursor === null) || body.comments === undefined) return DRIFTED;
  const read = (entry: unknown, parent: string | null) => readComment(entry, parent, postId);
  const inlineOf = (entry: unknown) => field(entry, 'reply_comment');
  const list = readThreads(body.comments ?? [], place, { read, inlineOf });
  if (list === null) return DRIFTED;
  return { kind: 'ok', value: { ...list, next: hasMore ? String(cursor) : null, expectedTotal: asCount(body.total) } };
}

function readFlag(value: unknown): boolean | null {
  if (value === 1 || value === true) return true;
  return value === 0 || value === false ? false : null;
}

/** Whether an id is the one that belongs here, or none: TikTok writes 0 for none. */
function names(id: unknown, expected: string | null): boolean {
  const digits = asDigits(id);
  return digits === null || digits === '0' || expected === null || digits === expected;
}

/** The text of a comment that is only an image is "". Some pages tell of an author the number only. */
function readComment(entry: unknown, parentId: string | null, postId: string): Entry<PlatformComment> {
  if (!isObject(entry)) return 'drifted';
  if (!names(entry.aweme_id, postId) || !names(entry.reply_id, parentId)) return 'misplaced';
  const id = asDigits(entry.cid);
  const author = readAuthor(field(entry, 'user', 'unique_id'), asAccountNumber(field(entry, 'user', 'uid')), 64);
  const text = asText(entry.text);
  const createdAt = asUnixTime(entry.create_time);
  if (entry.user === null || author === 'unreadable' || entry.text === null) return 'unreadable';
  if (id === null || author === 'drifted' || text === null || createdAt === null) return 'drifted';
  const likeCount = asCount(entry.digg_count);
  const replyCount = asCount(entry.reply_comment_total);
  return { read: { id, parentId, ...author, text, createdAt, likeCount, replyCount } };
}
