/** A post as the readers of this adapter address it. */
import type { PostRef } from '../../core/platforms/post-url.ts';
import { asDigits, asText, isObject, type JsonObject } from '../scraping/index.ts';
import { pkToShortcode, shortcodeToPk } from './shortcode.ts';

/** A post's place in Instagram's APIs. */
export interface PostAddress {
  readonly ref: PostRef;
  readonly pk: string;
  /** The path of the post's page. */
  readonly path: string;
}

/** Whether an object names the post by its code or its number. */
export function isSamePost(media: unknown, post: PostAddress): boolean {
  if (!isObject(media)) return false;
  // Long codes of private posts are written with or without their key; the number behind both is the same.
  const code = asText(media.code, 64);
  if (code !== null && shortcodeToPk(code) === post.pk) return true;
  const pk = asDigits(media.pk) ?? asText(media.pk, 64);
  return pk !== null && pkToShortcode(pk) === pkToShortcode(post.pk);
}

/** Whether an object that need not name a post names one, and it is not this one. */
export function isAnotherPost(media: unknown, post: PostAddress): boolean {
  const isNamed = isObject(media) && [media.pk, media.code].some((name) => name != null);
  return isNamed && !isSamePost(media, post);
}

/** Whether a comment names a post, and it is not the one with this number. The owner's number may follow: `pk_userpk`. */
export function isOfAnotherPost({ media_id }: JsonObject, mediaPk: string): boolean {
  const named = asDigits(media_id) ?? asText(media_id, 64)?.split('_')[0];
  return named !== undefined && named !== '' && named !== mediaPk;
}
