import { DomainError } from '../../errors.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { PlatformName } from '../../platforms/platform-name.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Needs } from '../use-case-parts.ts';
import type { SocialAccount } from './creator.ts';

export interface DisconnectInput {
  readonly externalId: string;
  readonly platform: PlatformName;
  /** With or without `@`; upper and lower case are the same. */
  readonly handle: string;
}

/**
 * Ends a link; attempts, matched comments and rewards stay. A handle that an account has given up ends the link that followed it: the
 * caller may not have heard of the new handle.
 * @throws DomainError `NOT_FOUND` when no active link matches, also for all but one of concurrent calls
 */
export function disconnectCreator(deps: Needs<'creators', 'platforms' | 'clock'>) {
  return async (input: DisconnectInput): Promise<SocialAccount & { readonly disconnectedAt: Date }> => {
    const { externalId, platform } = input;
    const link = { externalId, platform, handle: normaliseHandle(input.handle) };
    const now = deps.clock.now();
    const { creators } = deps.storage;
    const account = (await creators.disconnect(link, now)) ?? (await disconnectFollower(creators, link, now));
    if (account === null) {
      const label = deps.platforms.labelOf(platform);
      throw new DomainError('NOT_FOUND', `No active ${label} link of this externalId has this handle.`);
    }
    return { ...account, disconnectedAt: account.disconnectedAt ?? now };
  };
}

/** The active link that has followed the account of this former one; null if there is none. */
async function disconnectFollower(
  creators: Storage['creators'],
  { externalId, platform, handle }: DisconnectInput,
  now: Date,
): Promise<SocialAccount | null> {
  const creator = await creators.find({ externalId });
  const accounts = (creator === null ? [] : await creators.accountsOf(creator.id)).filter(
    (account) => account.platform === platform,
  );
  const former = accounts.find(({ platformUsername }) => platformUsername === handle)?.rememberedAccountId ?? null;
  const follower = accounts.find(
    ({ platformAccountId, disconnectedAt }) =>
      former !== null && platformAccountId === former && disconnectedAt === null,
  );
  if (follower === undefined) return null;
  return creators.disconnect({ externalId, platform, handle: follower.platformUsername }, now);
}
