import { DomainError, isDomainError, noSuch } from '../../errors.ts';
import { platformOf } from '../../platforms/platforms.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import type { Needs } from '../use-case-parts.ts';
import { activeAccounts, knownAccountId, type ProfileData, type SocialAccount } from './creator.ts';
import { profileDataOf } from './profile-data.ts';

/** Links that one call refreshes; the most recently connected ones. */
const MAX_ACCOUNTS = 10;

export type RefreshProfileDeps = Needs<'creators', 'platforms' | 'logger'>;

/**
 * Reads the profiles of a creator's active handles and replaces what is stored, wholesale. Returns the profile of the most
 * recently connected handle; `{}` when it was read and is empty, and then the stored one is cleared too. Other handles are
 * refreshed as far as they can be read; those that cannot are `failed`, and stay as they are stored. A handle that was given to another account than the
 * known one counts as not found.
 * @throws DomainError `NOT_FOUND`, `HANDLE_NOT_LINKED`, and the platform's failures for the most recently connected handle
 */
export function refreshCreatorProfile(deps: RefreshProfileDeps) {
  return async ({ userId }: { readonly userId: number }, options?: PlatformCallOptions) => {
    const creator = await deps.storage.creators.find(userId);
    if (creator === null) throw noSuch('creator', userId);
    const [newest, ...others] = activeAccounts(await deps.storage.creators.accountsOf(userId)).slice(0, MAX_ACCOUNTS);
    if (newest === undefined) {
      throw new DomainError('HANDLE_NOT_LINKED', `Creator ${userId} has no active handle to read.`);
    }
    // The newest handle comes last: the avatar is the creator's, and its picture is the one that stays.
    const failed = (await Promise.all(others.map((account) => failureOf(deps, account, options)))).flat();
    return { profileData: await refreshAccount(deps, newest, options), failed };
  };
}

/** Refreshes one of the other handles; empty when that went well. */
async function failureOf(deps: RefreshProfileDeps, account: SocialAccount, options: PlatformCallOptions | undefined) {
  try {
    await refreshAccount(deps, account, options);
    return [];
  } catch (err) {
    const { id: accountId, creatorId: userId, platform, platformUsername: handle } = account;
    deps.logger.warn({ userId, accountId, platform, err }, 'a further handle of a creator was not refreshed');
    return [{ platform, handle, code: isDomainError(err) ? err.code : ('INTERNAL_ERROR' as const) }];
  }
}

/** Reads the profile of one link and replaces what is stored. @throws as `refreshCreatorProfile` */
export async function refreshAccount(
  deps: Omit<RefreshProfileDeps, 'logger'>,
  account: SocialAccount,
  options: PlatformCallOptions | undefined,
): Promise<ProfileData> {
  const { platform, platformUsername } = account;
  const { label } = deps.platforms.describe(platform);
  if (deps.platforms.parseHandle(platform, platformUsername) !== platformUsername) {
    throw new DomainError('PROFILE_NOT_FOUND', `@${platformUsername} cannot be a handle on ${label}.`);
  }
  const profile = await platformOf(deps.platforms, platform).getProfile(platformUsername, options);
  const known = knownAccountId(account);
  if (profile !== null && known !== null && profile.accountId !== known) {
    throw new DomainError(
      'PROFILE_NOT_FOUND',
      `@${platformUsername} on ${label} belongs to another account now: connect the creator's account again.`,
    );
  }
  const profileData = profileDataOf(profile);
  if (!(await deps.storage.creators.replaceProfile(account.id, profileData, profileData.profile_pic_url ?? null))) {
    throw new DomainError('NOT_FOUND', 'The link was removed meanwhile.');
  }
  return profileData;
}
