/** A profile from its page (`webapp.user-detail`), or from the page made for embedding it elsewhere. */
import type { PlatformProfile } from '../../core/ports/platform.ts';
import {
  asBoolean,
  asDigits,
  asText,
  asUrl,
  field,
  isObject,
  type JsonObject,
  type Verdict,
} from '../scraping/index.ts';
import { DRIFTED, readCounter } from './counts.ts';
import { PRIVATE_ACCOUNT, readStatus } from './status.ts';

const drifted: Verdict<never> = { kind: 'unreadable', reason: 'drifted' };

/** Null for a page that is readable and holds an empty profile. */
export function readProfile(data: JsonObject, handle: string): Verdict<PlatformProfile | null> {
  const detail = field(data, '__DEFAULT_SCOPE__', 'webapp.user-detail');
  if (detail === undefined) {
    return { kind: 'unreadable', reason: 'no-rehydration-data', retries: 1, immediately: true };
  }
  const info = field(detail, 'userInfo');
  const code = field(detail, 'statusCode');
  const status = readStatus('profile', code, field(detail, 'statusMsg'));
  // The code stays when we have access; videos that are counted are how that shows.
  const videos = readCounter(info, 'videoCount');
  const hasAccess = code === PRIVATE_ACCOUNT && typeof videos === 'number' && videos > 0;
  if (status !== null && !hasAccess) return status;
  const user = field(info, 'user');
  if (!isObject(user)) return drifted;
  if (Object.keys(user).length === 0) return { kind: 'ok', value: null };

  const followers = readCounter(info, 'followerCount');
  const following = readCounter(info, 'followingCount');
  if (followers === DRIFTED || following === DRIFTED || videos === DRIFTED) return drifted;
  return readUser(user, handle, {
    profilePictureUrl: asUrl(user.avatarLarger) ?? asUrl(user.avatarMedium) ?? asUrl(user.avatarThumb),
    isPrivate: hasAccess ? true : asBoolean(user.privateAccount),
    followerCount: followers,
    followingCount: following,
    mediaCount: videos,
  });
}

/** The embedded page shows fewer facts; the ones it lacks are null. It is never proof that a profile does not exist. */
export function readEmbeddedProfile(data: JsonObject, handle: string): Verdict<PlatformProfile> {
  const pages = field(data, 'source', 'data');
  const path = isObject(pages)
    ? Object.keys(pages).find((key) => key.toLowerCase().replace(/\/$/, '') === `/embed/@${handle}`)
    : undefined;
  const user = path === undefined ? undefined : field(pages, path, 'userInfo');
  if (!isObject(user)) return drifted;
  const followers = readCounter({ stats: user }, 'followerCount');
  const following = readCounter({ stats: user }, 'followingCount');
  if (followers === DRIFTED || following === DRIFTED) return drifted;
  return readUser(user, handle, {
    profilePictureUrl: asUrl(user.avatarThumbUrl) ?? asUrl(user.avatarThumb),
    isPrivate: asBoolean(user.privateAccount),
    followerCount: followers,
    followingCount: following,
    mediaCount: null,
  });
}

type Rest = Pick<
  PlatformProfile,
  'profilePictureUrl' | 'isPrivate' | 'followerCount' | 'followingCount' | 'mediaCount'
>;

function readUser(user: JsonObject, asked: string, rest: Rest): Verdict<PlatformProfile> {
  const handle = asText(user.uniqueId, 64);
  const accountId = asDigits(user.id);
  if (handle === null || accountId === null) return drifted;
  // Somebody else's bio must never prove that this handle is owned.
  if (handle.toLowerCase() !== asked.toLowerCase()) return { kind: 'unreadable', reason: 'wrong-profile' };
  const bio = asText(user.signature);
  return {
    kind: 'ok',
    value: {
      platform: 'tiktok',
      handle,
      accountId,
      secUid: asText(user.secUid, 300) || null,
      displayName: asText(user.nickname, 1000) || null,
      bio,
      isVerified: asBoolean(user.verified),
      ...rest,
    },
  };
}
