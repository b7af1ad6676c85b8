/** Profiles: the logged-out page, else the web's profile API, else by the number of the account, for which a session is needed. */
import type { DomainError } from '../../core/errors.ts';
import type { PlatformProfile } from '../../core/ports/platform.ts';
import { asDigits, field, findAll, isObject, type JsonObject } from '../scraping/index.ts';
import { byNumber, findNumber } from './account-number.ts';
import type { AskedProfile } from './asked.ts';
import type { InstagramPage } from './page.ts';
import { isHandle, readProfileFields, readWebProfile } from './profile-fields.ts';
import { drifted, unavailable } from './refusals.ts';
import { firstThatWorks, type Way } from './ways.ts';

const EMPTY_PROFILE = 'empty-profile';

/**
 * Null if all ways that were asked say, in readable words, that the account has no profile (`user: null`). One of them has a
 * session if there is any. An answer without any word about the user is not that: it is `PLATFORM_UNAVAILABLE` with reason `ambiguous-profile`.
 */
export async function readProfile(asked: AskedProfile): Promise<PlatformProfile | null> {
  const { context, time, handle } = asked;
  const hasSessions = context.client.sessionCount > 0;
  // Learned from an answer that was not enough in itself.
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
        const profile = await fromWebProfile(asked, 'anonymous');
        // The same visitor as the page's: a session is the better witness.
        if (profile === null && hasSessions) throw empty();
        return settled(profile, before);
      },
    },
  ];
  if (hasSessions) {
    ways.push({
      name: 'instagram-web-profile-session',
      read: async (before) => settled(await fromWebProfile(asked, 'session'), before),
    });
    ways.push({
      name: 'instagram-profile-by-number',
      read: async () => await byNumber(asked, accountId ?? (await findNumber(asked))),
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
  return unavailable(EMPTY_PROFILE, 'One answer of Instagram shows an empty profile, and no other confirms it');
}

async function fromWebProfile(
  { context, time, handle, about }: AskedProfile,
  as: 'anonymous' | 'session',
): Promise<PlatformProfile | null> {
  const path = `/api/v1/users/web_profile_info/?${new URLSearchParams({ username: handle })}`;
  return await context.api(time, path, { ...about, endpoint: 'web-profile', as }, (body) => {
    const user = field(body, 'data', 'user');
    if (user === undefined) {
      throw unavailable('ambiguous-profile', 'Instagram answered without a word about the profile');
    }
    return user === null ? null : readWebProfile(user, handle);
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
