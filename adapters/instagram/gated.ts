/** Posts that exist but are kept from logged-out readers: why, and the session that may see them. */
import type { DomainError } from '../../core/errors.ts';
import { isObject, type JsonObject, refusalOf } from '../scraping/index.ts';
import { isAgeRestriction, saysWhy } from './age-restriction.ts';
import type { AskedPost } from './asked.ts';
import { drifted, isUnconfirmed } from './refusals.ts';
import { isTransient } from './ways.ts';

/** What logged-out readers are shown of a post, or the ruling by which it is kept from them. */
export type Shown<T> = T | { readonly ruling: JsonObject };

/** What the post's object in a page or an answer shows: what `read` makes of it, or the ruling. */
export function shownIn<T>(holder: JsonObject, read: (media: unknown) => T): Shown<T> {
  if (holder.if_not_gated_logged_out !== null) return read(holder.if_not_gated_logged_out);
  if (!isObject(holder.gating_ruling)) throw drifted('a post');
  return { ruling: holder.gating_ruling };
}

/** Reads with a session, once, however often it is asked; null where no session is configured. */
export function sessionReader<T>({ context }: AskedPost, read: () => Promise<T>): (() => Promise<T>) | null {
  let made: Promise<T> | undefined;
  const readOnce = (): Promise<T> => {
    made ??= read();
    return made;
  };
  return context.client.sessionCount > 0 ? readOnce : null;
}

/**
 * The post as it is shown to everybody, or as the session reads it if it is gated.
 * @throws `POST_AGE_RESTRICTED` when the ruling says so, session or not; `POST_UNAVAILABLE` (`gated`) when there is no session, or
 *   the post is kept from it too. Any other failure of the session as it is
 */
export async function unlessGated<T extends object>(
  post: AskedPost,
  shown: Shown<T>,
  askSession: (() => Promise<T>) | null,
): Promise<T> {
  if (!('ruling' in shown)) return shown;
  const ruling = shown.ruling as JsonObject;
  const isAge = isAgeRestriction(ruling) || (!saysWhy(ruling) && (await askRuling(post, askSession !== null)));
  if (isAge) {
    const message = 'The post is age restricted. Its author can post it again without the restriction.';
    throw refusalOf('instagram', 'POST_AGE_RESTRICTED', message, 'age-restricted');
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
async function askRuling({ context, time, pk, about }: AskedPost, hasSession: boolean): Promise<boolean> {
  const path = `/api/v1/web/get_ruling_for_content/?content_type=MEDIA&target_id=${pk}`;
  const as = hasSession ? 'session' : 'anonymous';
  try {
    return await context.api(time, path, { ...about, endpoint: 'ruling', as, patient: !hasSession }, (body) => {
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
  const message = 'Instagram keeps this post from readers who are not logged in.';
  return refusalOf('instagram', 'POST_UNAVAILABLE', message, 'gated');
}
