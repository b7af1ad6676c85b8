/**
 * Profiles by the number of the account, with a session: for business and creator accounts the web's profile API fails. None of
 * these ways is ever proof that a profile does not exist.
 */
import { isDomainError } from '../../core/errors.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import { field, isObject, type JsonObject } from '../scraping/index.ts';
import type { AskedProfile } from './asked.ts';
import { isHandle, numberOf, readProfileFields } from './profile-fields.ts';
import { drifted, unanswered, unconfirmed } from './refusals.ts';
import { firstThatWorks, type Way } from './ways.ts';

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

const MOST_USERS = 100;

/** The number of the account with this handle. */
export async function findNumber({ context, time, handle, about }: AskedProfile): Promise<string> {
  const options = { ...about, as: 'session' } as const;
  const feed = `/api/v1/feed/user/${handle}/username/?count=1`;
  const search = `/web/search/topsearch/?${new URLSearchParams({ context: 'user', query: handle })}`;
  const usersOf = (list: unknown): readonly unknown[] =>
    Array.isArray(list) ? list.slice(0, MOST_USERS).map((entry: unknown) => field(entry, 'user')) : [];
  const ways: Way<string>[] = [
    {
      name: 'instagram-user-feed',
      read: () =>
        context.api(time, feed, { ...options, endpoint: 'user-feed' }, ({ user, items }) =>
          numberAmong([user, ...usersOf(items)], handle),
        ),
    },
    {
      name: 'instagram-user-search',
      read: () =>
        context.api(time, search, { ...options, endpoint: 'user-search' }, ({ users }) => {
          if (!Array.isArray(users)) throw drifted('a search');
          return numberAmong(usersOf(users), handle);
        }),
    },
  ];
  return await firstThatWorks(time, ways.map(doubted));
}

/** The profile of the account with this number, if it still has this handle. */
export async function byNumber(profile: AskedProfile, accountId: string): Promise<PlatformProfile> {
  const { context, time, handle, about } = profile;
  const options = { ...about, as: 'session' } as const;
  const read = (user: unknown): PlatformProfile => {
    const found = readProfileFields(user, handle, numberOf(user));
    if (found.accountId !== accountId) throw drifted('a profile');
    return found;
  };
  const info = `/api/v1/users/${accountId}/info/`;
  const docId = context.settings.docIds.profile;
  const query = {
    ...options,
    endpoint: 'profile-query',
    docId,
    variables: { id: accountId, ...PROFILE_FLAGS },
  } as const;
  const ways: Way<PlatformProfile>[] = [
    {
      name: 'instagram-user-info',
      read: () => context.api(time, info, { ...options, endpoint: 'user-info' }, ({ user }) => read(user)),
    },
    {
      name: 'instagram-graphql-profile',
      read: () => context.graphql(time, query, (body) => read(field(body, 'data', 'user'))),
    },
  ];
  return await firstThatWorks(time, ways.map(doubted));
}

/** Of the account whose handle is exactly this one; a search shows others that resemble it. */
function numberAmong(users: readonly unknown[], handle: string): string {
  const user = users.filter(isObject).find((candidate: JsonObject) => isHandle(candidate, handle));
  if (user === undefined) throw unanswered('the profile');
  const number = numberOf(user);
  if (number === null) throw drifted('a profile');
  return number;
}

/** The same way, whose "not found" or "private" is no proof: the next one may show the profile. */
function doubted<T>(way: Way<T>): Way<T> {
  return {
    ...way,
    read: async (before) => {
      try {
        return await way.read(before);
      } catch (error) {
        throw isDomainError(error, 'PROFILE_NOT_FOUND', 'PROFILE_PRIVATE') ? unconfirmed('profile') : error;
      }
    },
  };
}
