/** Posts that exist but are kept from logged-out readers: why, and the session that may see them. */
import { DomainError } from '../../core/errors.ts';
import { type CallTime, isObject, type JsonObject } from '../scraping/index.ts';
import { isAgeRestriction, saysWhy } from './age-restriction.ts';
import type { InstagramContext } from './context.ts';
import type { PostAddress } from './post-address.ts';
import { drifted, isUnconfirmed, reason } from './refusals.ts';
import { isTransient } from './ways.ts';

/** The ruling by which a post is kept from logged-out readers; null for one that is shown to them. */
export function rulingOn(holder: JsonObject): JsonObject | null {
  if (holder.if_not_gated_logged_out !== null) return null;
  if (!isObject(holder.gating_ruling)) throw drifted('a post');
  return holder.gating_ruling;
}

/**
 * What the session reads of a gated post; null for `askSession` where none is configured.
 * @throws `POST_AGE_RESTRICTED` when the ruling says so, session or not; `POST_UNAVAILABLE` (`gated`) when there is no session, or
 *   the post is kept from it too. Any other failure of the session as it is
 */
export async function readGated<T>(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  ruling: JsonObject,
  askSession: (() => Promise<T>) | null,
): Promise<T> {
  const isAge =
    isAgeRestriction(ruling) || (!saysWhy(ruling) && (await askRuling(context, time, post, askSession !== null)));
  if (isAge) {
    throw new DomainError(
      'POST_AGE_RESTRICTED',
      'The post is age restricted. Its author can post it again without the restriction.',
      reason('age-restricted'),
    );
  }
  if (askSession === null) throw gated();
  try {
    return await askSession();
  } catch (error) {
    // To a session that may not see it the post is missing; that it exists has just been shown.
    throw isUnconfirmed(error) ? gated() : error;
  }
}

/** Whether the ruling is about age; false when it cannot be read and a session can still be asked for the post itself. */
async function askRuling(
  context: InstagramContext,
  time: CallTime,
  post: PostAddress,
  hasSession: boolean,
): Promise<boolean> {
  const path = `/api/v1/web/get_ruling_for_content/?content_type=MEDIA&target_id=${post.pk}`;
  const as = hasSession ? 'session' : 'anonymous';
  const options = { endpoint: 'ruling', as, subject: 'post', referer: post.path, patient: !hasSession } as const;
  try {
    return await context.api(time, path, options, (body) => {
      const isAge = isAgeRestriction(body);
      if (!isAge && !saysWhy(body)) throw drifted('a ruling');
      return isAge;
    });
  } catch (error) {
    if (!hasSession || !isTransient(error)) throw error;
    time.check();
    return false;
  }
}

function gated(): DomainError {
  return new DomainError(
    'POST_UNAVAILABLE',
    'Instagram keeps this post from readers who are not logged in.',
    reason('gated'),
  );
}
