/** What belongs to an attempt: its campaign, challenge and creator. */
import { noSuch } from '../../errors.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import { activeAccounts, type SocialAccount } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import type { EventFacts } from './attempt-events.ts';

/**
 * What is told of an attempt. `username` is by default the newest active handle, else the one that the attempt was last seen with.
 * @throws DomainError `NOT_FOUND` when the challenge or the creator is gone
 */
export async function loadAttemptFacts(
  storage: Pick<Storage, 'campaigns' | 'creators'>,
  attempt: Attempt,
  username?: string,
): Promise<EventFacts> {
  const { challengeId, userId } = attempt;
  const [found, creator, accounts] = await Promise.all([
    requireChallenge(storage, challengeId),
    storage.creators.find(userId),
    username === undefined ? storage.creators.accountsOf(userId) : [],
  ]);
  if (creator === null) throw noSuch('creator', userId);
  const [newest] = linksOn(accounts, found.challenge);
  return { ...found, creator, username: username ?? newest?.platformUsername ?? lastHandle(attempt) ?? '' };
}

/** Of a creator's accounts, the active ones on the challenge's platform, the most recently connected first. */
export function linksOn(accounts: readonly SocialAccount[], { platform }: Challenge): readonly SocialAccount[] {
  return activeAccounts(accounts).filter((account) => account.platform === platform);
}

/** The handle that the latest event or, before the first, the creation of the attempt named. */
export function lastHandle(attempt: Attempt): string | undefined {
  const { platformUsername } = attempt.metadata;
  return typeof platformUsername === 'string' ? platformUsername : undefined;
}
