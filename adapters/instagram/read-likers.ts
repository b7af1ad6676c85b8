/** Who likes a post: one page, with a session; Instagram shows a part of them only. */
import type { LikersResult, PlatformLiker } from '../../core/ports/platform.ts';
import {
  asBoolean,
  asCount,
  asText,
  asUrl,
  type Entry,
  field,
  type JsonObject,
  readAuthor,
  readEntries,
} from '../scraping/index.ts';
import type { AskedPost } from './asked.ts';
import { numberOf } from './profile-fields.ts';
import { unlessGone } from './read-post.ts';
import { drifted } from './refusals.ts';

const MAX_USERS = 10_000;

/** At most `maxCount` of the likers that Instagram hands out (up to about a thousand); `totalLikes` is its visible count. */
export async function readLikers(post: AskedPost, maxCount: number): Promise<LikersResult> {
  const { context, time, pk, about } = post;
  const options = { ...about, endpoint: 'likers', as: 'session' } as const;
  const result = await unlessGone(post, context.api(time, `/api/v1/media/${pk}/likers/`, options, readLikerList));
  return { ...result, likers: result.likers.slice(0, Math.max(0, maxCount)) };
}

/** All of an answer's, each once. @throws `PLATFORM_UNAVAILABLE` (`drifted`) when they cannot be read */
export function readLikerList({ users, user_count }: JsonObject): LikersResult {
  if (!Array.isArray(users) || users.length > MAX_USERS) throw drifted('likers');
  const list = readEntries(users as readonly unknown[], readLiker);
  if (list === null) throw drifted('likers');
  const byAccount = new Map(list.entries.map((liker) => [liker.accountId, liker]));
  return { likers: [...byAccount.values()], totalLikes: asCount(user_count), skipped: list.skipped };
}

function readLiker(user: unknown): Entry<PlatformLiker> {
  const accountId = numberOf(user);
  const author = readAuthor(field(user, 'username'), accountId, 100);
  const isPrivate = readFlag(field(user, 'is_private'));
  const isVerified = readFlag(field(user, 'is_verified'));
  if (author === 'unreadable') return 'unreadable';
  if (accountId === null || author === 'drifted' || isPrivate === null || isVerified === null) return 'drifted';
  const fullName = asText(field(user, 'full_name'), 300);
  const profilePicUrl = asUrl(field(user, 'profile_pic_url'));
  return { read: { accountId, username: author.username, fullName, isPrivate, isVerified, profilePicUrl } };
}

/** Left out means false; null for what is there and is no boolean. */
function readFlag(value: unknown): boolean | null {
  return value === undefined || value === null ? false : asBoolean(value);
}
