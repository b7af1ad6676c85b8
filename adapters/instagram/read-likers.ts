/** Who likes a post: one page, with a session; Instagram shows a part of them only. */
import type { PostRef } from '../../core/lookups/post-url.ts';
import type { LikersResult, PlatformLiker } from '../../core/ports/platform.ts';
import { asBoolean, asCount, asDigits, asText, asUrl, type CallTime, field } from '../scraping/index.ts';
import type { InstagramContext } from './context.ts';
import { addressOf } from './post-address.ts';
import { drifted } from './refusals.ts';

const MAX_USERS = 10_000;

/** At most `maxCount` of the likers that Instagram hands out (up to about a thousand); `totalLikes` is its visible count. */
export async function readLikers(
  context: InstagramContext,
  time: CallTime,
  ref: PostRef,
  maxCount: number,
): Promise<LikersResult> {
  const post = addressOf(ref);
  const options = { as: 'session', subject: 'post', referer: post.path } as const;
  return await context.api(time, `/api/v1/media/${post.pk}/likers/`, options, (body) => {
    if (!Array.isArray(body.users) || body.users.length > MAX_USERS) throw drifted('likers');
    const byAccount = new Map<string, PlatformLiker>();
    for (const user of body.users as readonly unknown[]) {
      const liker = readLiker(user);
      byAccount.set(liker.accountId, liker);
    }
    return { likers: [...byAccount.values()].slice(0, Math.max(0, maxCount)), totalLikes: asCount(body.user_count) };
  });
}

function readLiker(user: unknown): PlatformLiker {
  const accountId = asDigits(field(user, 'pk'));
  const username = asText(field(user, 'username'), 100);
  if (accountId === null || username === null || username === '') throw drifted('a liker');
  return {
    accountId,
    username,
    fullName: asText(field(user, 'full_name'), 300),
    isPrivate: readFlag(field(user, 'is_private')),
    isVerified: readFlag(field(user, 'is_verified')),
    profilePicUrl: asUrl(field(user, 'profile_pic_url')),
  };
}

/** Left out means false; what is there and is no boolean has drifted. */
function readFlag(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  const flag = asBoolean(value);
  if (flag === null) throw drifted('a liker');
  return flag;
}
