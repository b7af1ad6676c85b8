import { DomainError } from '../../errors.ts';
import { isValidHandle } from '../../lookups/handle.ts';
import { type Platforms, platformOf } from '../../lookups/platforms.ts';
import type { CreatorStore } from '../../ports/creator-store.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import type { ProfileData, SocialAccount } from '../creator.ts';
import { profileDataOf } from './profile-data.ts';

/** Links that one call refreshes; the most recently connected ones. */
const MAX_ACCOUNTS = 10;

export interface RefreshProfileDeps {
  readonly creators: CreatorStore;
  readonly platforms: Platforms;
}

/**
 * Reads the profiles of a creator's active handles and replaces what is stored, wholesale. Returns the profile of the most
 * recently connected handle; `{}` when it was read and is empty, and then the stored one is cleared too. Other handles are
 * refreshed as far as they can be read.
 * @throws DomainError `NOT_FOUND`, `HANDLE_NOT_LINKED`, and the platform's failures for the most recently connected handle
 */
export function refreshCreatorProfile(deps: RefreshProfileDeps) {
  return async (input: { readonly userId: number }, options?: PlatformCallOptions): Promise<ProfileData> => {
    const { userId } = input;
    const creator = await deps.creators.findById(userId);
    if (creator === null) throw new DomainError('NOT_FOUND', `There is no creator ${userId}.`);
    const accounts = (await deps.creators.accountsOf(userId))
      .filter(({ disconnectedAt }) => disconnectedAt === null)
      .sort((a, b) => b.connectedAt.getTime() - a.connectedAt.getTime() || b.id - a.id)
      .slice(0, MAX_ACCOUNTS);
    const [newest, ...others] = accounts;
    if (newest === undefined) {
      throw new DomainError('HANDLE_NOT_LINKED', `Creator ${userId} has no active handle to read.`);
    }
    // The newest handle comes last: the avatar is the creator's, and its picture is the one that stays.
    await Promise.allSettled(others.map((account) => refreshAccount(deps, account, options)));
    return refreshAccount(deps, newest, options);
  };
}

async function refreshAccount(
  deps: RefreshProfileDeps,
  account: SocialAccount,
  options: PlatformCallOptions | undefined,
): Promise<ProfileData> {
  const { platform, platformUsername } = account;
  if (!isValidHandle(platform, platformUsername)) {
    throw new DomainError('PROFILE_NOT_FOUND', `@${platformUsername} cannot be a handle on ${platform}.`);
  }
  const profile = await platformOf(deps.platforms, platform).getProfile(platformUsername, options);
  const profileData = profileDataOf(profile);
  if (!(await deps.creators.replaceProfile(account.id, profileData, profileData.profile_pic_url ?? null))) {
    throw new DomainError('NOT_FOUND', 'The link was removed meanwhile.');
  }
  return profileData;
}
