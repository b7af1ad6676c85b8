/** What belongs to an attempt: its campaign, challenge, creator and the creator's links. */
import { DomainError } from '../../errors.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import { activeAccounts, type Creator, type SocialAccount } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import type { EventFacts } from './attempt-events.ts';

type FactsStorage = Pick<Storage, 'campaigns' | 'creators'>;

/** `username` is the newest active handle, else the one the attempt was last seen with. */
export interface AttemptFacts extends EventFacts {
  readonly creator: Creator;
  /** Active links on the challenge's platform, the most recently connected first. */
  readonly links: readonly SocialAccount[];
}

/** @throws DomainError `NOT_FOUND` when the challenge or the creator is gone */
export async function loadAttemptFacts(storage: FactsStorage, attempt: Attempt): Promise<AttemptFacts> {
  const [facts, accounts] = await Promise.all([
    loadEventFacts(storage, attempt, ''),
    storage.creators.accountsOf(attempt.userId),
  ]);
  const links = linksOn(accounts, facts.challenge);
  return { ...facts, links, username: links[0]?.platformUsername ?? lastHandle(attempt) ?? '' };
}

/** Of a creator's accounts, the active ones on the challenge's platform, the most recently connected first. */
export function linksOn(accounts: readonly SocialAccount[], { platform }: Challenge): readonly SocialAccount[] {
  return activeAccounts(accounts).filter((account) => account.platform === platform);
}

/** What events tell, with a handle that is known. @throws as `loadAttemptFacts` */
export async function loadEventFacts(
  storage: FactsStorage,
  attempt: Attempt,
  username: string,
): Promise<EventFacts & { readonly creator: Creator }> {
  const [found, creator] = await Promise.all([
    requireChallenge(storage, attempt.challengeId),
    storage.creators.find(attempt.userId),
  ]);
  if (creator === null) throw new DomainError('NOT_FOUND', `There is no creator ${attempt.userId}.`);
  return { ...found, creator, username };
}

/** The handle that the latest event or, before the first, the creation of the attempt named. */
export function lastHandle(attempt: Attempt): string | undefined {
  const { platformUsername } = attempt.metadata;
  return typeof platformUsername === 'string' ? platformUsername : undefined;
}
