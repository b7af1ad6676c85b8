/** What belongs to an attempt: its campaign, challenge, creator and the creator's links. */
import { DomainError } from '../../errors.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CampaignWithChallenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import { activeAccounts } from '../creators/active-accounts.ts';
import type { Creator, SocialAccount } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';

export interface AttemptFacts extends CampaignWithChallenge {
  readonly creator: Creator;
  /** Active links on the challenge's platform, the most recently connected first. */
  readonly links: readonly SocialAccount[];
  /** The handle that events name: the newest active one, else the one the attempt was last seen with. */
  readonly username: string;
}

/** @throws DomainError `NOT_FOUND` when the challenge or the creator is gone */
export async function loadAttemptFacts(
  storage: Pick<Storage, 'campaigns' | 'creators'>,
  attempt: Attempt,
): Promise<AttemptFacts> {
  const [found, creator, accounts] = await Promise.all([
    requireChallenge(storage, attempt.challengeId),
    storage.creators.find(attempt.userId),
    storage.creators.accountsOf(attempt.userId),
  ]);
  if (creator === null) throw new DomainError('NOT_FOUND', `There is no creator ${attempt.userId}.`);
  const links = activeAccounts(accounts).filter(({ platform }) => platform === found.challenge.platform);
  return { ...found, creator, links, username: links[0]?.platformUsername ?? lastHandle(attempt) ?? '' };
}

/** The handle that the latest event or, before the first, the creation of the attempt named. */
export function lastHandle(attempt: Attempt): string | undefined {
  const { platformUsername } = attempt.metadata;
  return typeof platformUsername === 'string' ? platformUsername : undefined;
}
