/** Profiles as Instagram describes them, in the dialects of page, REST and query, made into `PlatformProfile`. */
import type { PlatformProfile } from '../../core/ports/platform.ts';
import {
  asAccountNumber,
  asBoolean,
  asCount,
  asDigits,
  asText,
  asUrl,
  field,
  isObject,
  type JsonObject,
} from '../scraping/index.ts';
import { drifted } from './refusals.ts';

/**
 * `data.user` of the web's profile API.
 * @throws `drifted` unless the account, its handle and its follower count can be read
 */
export function readWebProfile(user: unknown, handle: string): PlatformProfile {
  return readProfileFields(user, handle, field(user, 'id'));
}

export function isHandle(user: JsonObject, handle: string): boolean {
  return asText(user.username, 100)?.toLowerCase() === handle;
}

/** Where each fact is in the dialects of page, API and query; the first that can be read counts. */
const FOLLOWERS = [['follower_count'], ['edge_followed_by', 'count']] as const;
const FOLLOWING = [['following_count'], ['edge_follow', 'count']] as const;
const MEDIA = [['media_count'], ['all_media_count'], ['edge_owner_to_timeline_media', 'count']] as const;
const PICTURES = [['hd_profile_pic_url_info', 'url'], ['profile_pic_url_hd'], ['profile_pic_url']] as const;

/**
 * `account` is the number of the account: `pk`, or `id` in the API's dialect (elsewhere `id` is another number).
 * @throws `drifted` unless the account, its handle and its follower count can be read
 */
export function readProfileFields(user: unknown, handle: string, account: unknown): PlatformProfile {
  const first = <T>(paths: readonly (readonly string[])[], read: (value: unknown) => T | null): T | null =>
    paths.map((path) => read(field(user, ...path))).find((value) => value !== null) ?? null;
  const accountId = asDigits(account);
  const followerCount = first(FOLLOWERS, asCount);
  if (!isObject(user) || !isHandle(user, handle) || accountId === null || followerCount === null) {
    throw drifted('a profile');
  }
  return {
    platform: 'instagram',
    handle,
    accountId,
    secUid: null,
    displayName: asText(user.full_name, 300),
    bio: asText(user.biography),
    profilePictureUrl: first(PICTURES, asUrl),
    isVerified: asBoolean(user.is_verified),
    isPrivate: asBoolean(user.is_private),
    followerCount,
    followingCount: first(FOLLOWING, asCount),
    mediaCount: first(MEDIA, asCount),
  };
}

/** Of a user in any list. `id` is the same number, or the one that the account has at Facebook, which begins with 1784. */
export function numberOf(user: unknown): string | null {
  const id = asAccountNumber(field(user, 'id'));
  const number = asAccountNumber(field(user, 'pk')) ?? asAccountNumber(field(user, 'pk_id'));
  return number ?? (id === null || /^1784\d{13}$/.test(id) ? null : id);
}
