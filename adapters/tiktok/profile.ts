/** A profile from its page (`webapp.user-detail`), or from the page made for embedding it elsewhere. */
import type { DomainError } from '../../core/errors.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import {
  asBoolean,
  asDigits,
  asText,
  asUnixTime,
  asUrl,
  DRIFTED,
  field,
  isIntact,
  isObject,
  type JsonObject,
  optional,
  optionalText,
  refusalOf,
  type Verdict,
} from '../scraping/index.ts';
import { type Counter, readCounter } from './counts.ts';
import { PRIVATE_ACCOUNT, readStatus } from './status.ts';

/** Null for a page that is readable and holds an empty profile. */
export function readProfile(data: JsonObject, handle: string): Verdict<PlatformProfile | null> {
  const detail = field(data, '__DEFAULT_SCOPE__', 'webapp.user-detail');
  if (detail === undefined) {
    return { kind: 'unreadable', reason: 'no-rehydration-data', retries: 1, immediately: true };
  }
  const info = field(detail, 'userInfo');
  const code = field(detail, 'statusCode');
  const status = readStatus('profile', code, field(detail, 'statusMsg'));
  const user = field(info, 'user');
  const isShown = isObject(user) && Object.keys(user).length > 0;
  // A private account keeps its videos to itself, and most often not who it is.
  const isPrivate = code === PRIVATE_ACCOUNT;
  if (status !== null && !(isPrivate && isShown)) return status;
  if (!isObject(user)) return DRIFTED;
  if (!isShown) return { kind: 'ok', value: null };

  if (!isObject(field(info, 'statsV2')) && !isObject(field(info, 'stats'))) return DRIFTED;
  const videos = readCounter(info, 'videoCount');
  const picture = asUrl(user.avatarLarger) ?? asUrl(user.avatarMedium) ?? asUrl(user.avatarThumb);
  const counters = {
    followerCount: readCounter(info, 'followerCount'),
    followingCount: readCounter(info, 'followingCount'),
    // To those whom a private account does not let in it shows no videos, however many there are.
    mediaCount: videos === 0 && (isPrivate || user.privateAccount === true) ? null : videos,
  };
  const profile = readUser(user, handle, picture, counters);
  return isPrivate && profile.kind === 'ok' ? { kind: 'ok', value: { ...profile.value, isPrivate: true } } : profile;
}

/**
 * The embedded page shows fewer facts; the ones it lacks are null. It is never proof that a profile does not exist. Null for a page
 * about the handle that shows nobody.
 */
export function readEmbeddedProfile(data: JsonObject, handle: string): Verdict<PlatformProfile | null> {
  const pages = field(data, 'source', 'data');
  const path = isObject(pages)
    ? Object.keys(pages).find((key) => key.toLowerCase().replace(/\/$/, '') === `/embed/@${handle}`)
    : undefined;
  const user = path === undefined ? undefined : field(pages, path, 'userInfo');
  if (!isObject(user)) return DRIFTED;
  if (Object.keys(user).length === 0) return { kind: 'ok', value: null };
  return readUser(user, handle, asUrl(user.avatarThumbUrl) ?? asUrl(user.avatarThumb), {
    followerCount: readCounter({ stats: user }, 'followerCount'),
    followingCount: readCounter({ stats: user }, 'followingCount'),
    mediaCount: null,
  });
}

/** One page alone shows nobody: refused visitors are shown so of profiles that are there, and the stored one would be lost. */
export function emptyProfile(): DomainError {
  const message = 'One page of TikTok shows an empty profile, and no other confirms it; try again later.';
  return refusalOf('tiktok', 'PLATFORM_UNAVAILABLE', message, 'empty-profile');
}

function readUser(
  user: JsonObject,
  asked: string,
  profilePictureUrl: string | null,
  counters: { readonly followerCount: Counter; readonly followingCount: Counter; readonly mediaCount: Counter },
): Verdict<PlatformProfile> {
  const handle = asText(user.uniqueId, 64);
  const accountId = asDigits(user.id);
  const facts = {
    // "" is a bio that is empty, not one that is not shown.
    bio: user.signature === '' ? '' : optionalText(user.signature),
    secUid: optionalText(user.secUid),
    displayName: optionalText(user.nickname),
    isVerified: optional(user.verified, asBoolean),
    isPrivate: optional(user.privateAccount, asBoolean),
  };
  if (handle === null || accountId === null || !isIntact(facts) || !isIntact(counters)) return DRIFTED;
  // Every profile shows its followers: one without them is a part of a profile, and would take the place of a whole one.
  if (counters.followerCount === null) return DRIFTED;
  // Somebody else's bio must never prove that this handle is owned.
  if (handle.toLowerCase() !== asked.toLowerCase()) return { kind: 'unreadable', reason: 'wrong-profile' };
  return {
    kind: 'ok',
    value: {
      platform: 'tiktok',
      handle,
      accountId,
      profilePictureUrl,
      ...facts,
      ...counters,
      createdAt: asUnixTime(user.createTime),
    },
  };
}
