/** The comment API's pages, of comments and of replies. */

import { DomainError } from '../../core/errors.ts';
import type { CommentPage, PlatformComment } from '../../core/ports/platform.ts';
import {
  asCount,
  asDigits,
  asText,
  asUnixTime,
  field,
  isObject,
  type JsonObject,
  type Verdict,
} from '../scraping/index.ts';
import { readStatus } from './status.ts';

const MAX_COMMENTS = 1000;
const drifted: Verdict<never> = { kind: 'unreadable', reason: 'drifted' };

/** The cursor of a page to ask for: TikTok's own number, handed out by `readCommentPage` and nothing else. */
export function parseCursor(cursor: string | null): number {
  if (cursor === null) return 0;
  const number = /^(?:0|[1-9]\d{0,15})$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (!Number.isSafeInteger(number)) {
    throw new DomainError('INVALID_REQUEST', 'The cursor is not one that TikTok handed out: start without a cursor.');
  }
  return number;
}

/**
 * One page. `parentId` is the comment whose replies were asked for, null for a page of top-level comments. Totals are not
 * looked at: they include what is hidden and never add up; the end is where `has_more` says so. The cursor is TikTok's, not
 * computed, since pages may hold fewer comments than were asked for.
 */
export function readCommentPage(body: JsonObject, parentId: string | null): Verdict<CommentPage> {
  const status = readStatus('post', body.status_code, body.status_msg);
  if (status !== null) return status;
  const hasMore = readFlag(body.has_more);
  const cursor = asCount(body.cursor);
  const listed = body.comments;
  if (hasMore === null || (hasMore && cursor === null)) return drifted;
  if (listed !== null && !(Array.isArray(listed) && listed.length <= MAX_COMMENTS)) return drifted;

  const comments: PlatformComment[] = [];
  for (const entry of listed ?? []) {
    const comment = readComment(entry, parentId);
    const inline = parentId === null ? readInlineReplies(entry) : [];
    if (comment === null || inline === null) return drifted;
    comments.push(comment, ...inline);
  }
  return { kind: 'ok', value: { comments, nextCursor: hasMore ? String(cursor) : null } };
}

function readFlag(value: unknown): boolean | null {
  if (value === 1 || value === true) return true;
  return value === 0 || value === false ? false : null;
}

function readInlineReplies(entry: unknown): PlatformComment[] | null {
  const listed = field(entry, 'reply_comment');
  if (listed === undefined || listed === null) return [];
  const parentId = asDigits(field(entry, 'cid'));
  if (!Array.isArray(listed) || listed.length > MAX_COMMENTS || parentId === null) return null;
  const replies = listed.map((reply) => readComment(reply, parentId));
  return replies.every((reply) => reply !== null) ? replies : null;
}

/** Null for anything that lacks what a comment must have. The text of a comment that is only an image is "". */
function readComment(entry: unknown, parentId: string | null): PlatformComment | null {
  if (!isObject(entry)) return null;
  const id = asDigits(entry.cid);
  const username = asText(field(entry, 'user', 'unique_id'), 64);
  const text = asText(entry.text);
  const createdAt = asUnixTime(entry.create_time);
  if (id === null || username === null || username === '' || text === null || createdAt === null) return null;
  return {
    id,
    parentId,
    username,
    text,
    createdAt,
    likeCount: asCount(entry.digg_count),
    replyCount: asCount(entry.reply_comment_total),
  };
}
