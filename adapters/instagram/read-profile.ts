/** Profiles: the logged-out page, else the web's profile API, with a session where there is one. */
import { DomainError } from '../../core/errors.ts';
import { parseHandleOf } from '../../core/platforms/descriptor.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import {
  asBoolean,
  asCount,
  asDigits,
  asText,
  asUrl,
  type CallTime,
  field,
  findAll,
  isObject,
  type JsonObject,
} from '../scraping/index.ts';
import type { InstagramContext } from './context.ts';
import { instagramDescriptor } from './descriptor.ts';
import type { InstagramPage } from './page.ts';
import { drifted, reason } from './refusals.ts';
import { firstThatWorks, type Way } from './ways.ts';

const EMPTY_PROFILE = 'empty-profile';

/** What the profile query takes beside the account. */
const PROFILE_FLAGS = {
  enable_integrity_filters: true,
  render_surface: 'PROFILE',
  __relay_internal__pv__PolarisProjectCannesEnabledrelayprovider: true,
  __relay_internal__pv__PolarisCannesGuardianExperienceEnabledrelayprovider: true,
  __relay_internal__pv__PolarisCASB976ProfileEnabledrelayprovider: false,
  __relay_internal__pv__PolarisWebSchoolsEnabledrelayprovider: false,
  __relay_internal__pv__PolarisRepostsConsumptionEnabledrelayprovider: false,
  __relay_internal__pv__PolarisShortDramaEnabledrelayprovider: false,
  __relay_internal__pv__PolarisLongformEnabledrelayprovider: false,
} as const;

/**
 * Null if all ways that were asked say, in readable words, that the account has no profile (`user: null`). One of them has a
 * session if there is any. An answer without any word about the user is not that: it is `PLATFORM_UNAVAILABLE` with reason `ambiguous-profile`.
 */
export async function readProfile(
  context: InstagramContext,
  time: CallTime,
  rawHandle: string,
): Promise<PlatformProfile | null> {
  const handle = parseHandleOf(instagramDescriptor, rawHandle);
  if (handle === null) throw new DomainError('INVALID_REQUEST', 'This cannot be a handle on Instagram.');
  const hasSessions = context.client.sessionCount > 0;
  // Learned from an answer that was not enough in itself; the query by account needs it.
  let accountId: string | null = null;
  const ways: Way<PlatformProfile | null>[] = [
    {
      name: 'instagram-page',
      read: () =>
        context.page(time, { path: `/${handle}/`, subject: 'profile', patient: !hasSessions }, (page) => {
          accountId ??= accountIn(page, handle);
          return profileIn(page, handle);
        }),
    },
    {
      name: 'instagram-web-profile',
      read: async (before) => {
        const profile = await fromWebProfile(context, time, handle, 'anonymous');
        // The same visitor as the page's: a session is the better witness.
        if (profile === null && hasSessions) throw empty();
        return settled(profile, before);
      },
    },
  ];
  if (hasSessions) {
    ways.push({
      name: 'instagram-web-profile-session',
      read: async (before) => settled(await fromWebProfile(context, time, handle, 'session'), before),
    });
    ways.push({
      name: 'instagram-graphql-profile',
      read: () => {
        if (accountId === null) throw ambiguous();
        return fromGraphql(context, time, handle, accountId);
      },
    });
  }
  return await firstThatWorks(time, ways);
}

/**
 * Believes an empty profile only if every way before said the same, since the stored profile is lost for it. Instagram shows
 * readers that it throttles or refuses empty profiles that are not empty, and refuses with pages that we do not know.
 */
function settled(profile: PlatformProfile | null, before: readonly DomainError[]): PlatformProfile | null {
  if (profile !== null || before.every(({ details }) => details?.reason === EMPTY_PROFILE)) return profile;
  throw empty();
}

function empty(): DomainError {
  return new DomainError(
    'PLATFORM_UNAVAILABLE',
    'One answer of Instagram shows an empty profile, and no other confirms it; try again later.',
    reason(EMPTY_PROFILE),
  );
}

async function fromWebProfile(
  context: InstagramContext,
  time: CallTime,
  handle: string,
  as: 'anonymous' | 'session',
): Promise<PlatformProfile | null> {
  const path = `/api/v1/users/web_profile_info/?${new URLSearchParams({ username: handle })}`;
  const options = { as, subject: 'profile', referer: `/${handle}/`, patient: false } as const;
  return await context.api(time, path, options, (body) => {
    const user = field(body, 'data', 'user');
    if (user === undefined) throw ambiguous();
    return user === null ? null : readWebProfile(user, handle);
  });
}

/**
 * `data.user` of the web's profile API.
 * @throws `drifted` unless the account, its handle and its follower count can be read
 */
export function readWebProfile(user: unknown, handle: string): PlatformProfile {
  return readProfileFields(user, handle, field(user, 'id'));
}

async function fromGraphql(
  context: InstagramContext,
  time: CallTime,
  handle: string,
  accountId: string,
): Promise<PlatformProfile | null> {
  const query = {
    as: 'session',
    subject: 'profile',
    referer: `/${handle}/`,
    path: '/graphql/query',
    name: 'PolarisProfilePageContentQuery',
    docId: context.settings.docIds.profile,
    variables: { id: accountId, ...PROFILE_FLAGS },
    patient: false,
  } as const;
  return await context.graphql(time, query, (body) => {
    const user = field(body, 'data', 'user');
    return readProfileFields(user, handle, field(user, 'pk'));
  });
}

/** The page holds the user twice; the one with the counts is the profile, the other the owner of the timeline. */
function profileIn(page: InstagramPage, handle: string): PlatformProfile {
  const users = usersIn(page);
  if (users.length === 0 && namesNobody(page)) throw empty();
  const user = users.find((candidate) => Object.hasOwn(candidate, 'follower_count') && isHandle(candidate, handle));
  if (user === undefined) throw drifted('a profile');
  return readProfileFields(user, handle, user.pk);
}

function accountIn(page: InstagramPage, handle: string): string | null {
  const user = usersIn(page).find((candidate) => candidate.username === undefined || isHandle(candidate, handle));
  return asDigits(user?.pk);
}

function usersIn(page: InstagramPage): JsonObject[] {
  return page.documents.flatMap((document) => findAll(document, 'xig_user_by_username')).filter(isObject);
}

/** Whether the page says that there is no user, rather than nothing about one. */
function namesNobody(page: InstagramPage): boolean {
  return page.documents.some((document) => findAll(document, 'xig_user_by_username').includes(null));
}

function isHandle(user: JsonObject, handle: string): boolean {
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
function readProfileFields(user: unknown, handle: string, account: unknown): PlatformProfile {
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

function ambiguous(): DomainError {
  return new DomainError(
    'PLATFORM_UNAVAILABLE',
    'Instagram answered without a word about the profile; try again later.',
    reason('ambiguous-profile'),
  );
}
