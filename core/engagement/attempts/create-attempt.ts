import { DomainError } from '../../errors.ts';
import type { Storage } from '../../ports/storage.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { Creator } from '../creators/creator.ts';
import type { Needs } from '../use-case-parts.ts';
import type { Attempt } from './attempt.ts';
import { campaignInactive, isOpen } from './deadline.ts';
import { linksOn } from './load-facts.ts';
import { newAttempt } from './new-attempt.ts';

/** Who tries: exactly one of the two ways to name a creator. */
export type CreatorRef = { readonly userId: number } | { readonly externalId: string };

/**
 * Opens a creator's attempt at a challenge, in state `created`.
 * @throws DomainError `NOT_FOUND` (challenge, creator), `CAMPAIGN_INACTIVE`, `HANDLE_NOT_LINKED`, `ATTEMPT_EXISTS`
 * (`details.attemptId`); of concurrent calls for one creator exactly one succeeds
 */
export function createAttempt(deps: Needs<'attempts' | 'campaigns' | 'creators', 'platforms' | 'clock'>) {
  return async (input: { readonly challengeId: number; readonly creator: CreatorRef }): Promise<Attempt> => {
    const { attempts, creators } = deps.storage;
    const { challengeId } = input;
    const { campaign, challenge } = await requireChallenge(deps.storage, challengeId);
    const creator = await resolveCreator(deps.storage, input.creator);
    const existing = await attempts.find({ challengeId, userId: creator.id });
    if (existing !== null) throw attemptExists(existing);
    const now = deps.clock.now();
    if (!isOpen(campaign, now)) throw campaignInactive(campaign.id);
    const [account] = linksOn(await creators.accountsOf(creator.id), challenge);
    if (account === undefined) {
      throw new DomainError(
        'HANDLE_NOT_LINKED',
        `Creator ${creator.id} has no active ${deps.platforms.labelOf(challenge.platform)} handle: link one first.`,
        { details: { userId: creator.id, platform: challenge.platform } },
      );
    }
    const username = account.platformUsername;
    const attempt = newAttempt({ userId: creator.id, challengeId, username, now });
    const [result] = await attempts.create([{ attempt, outbox: () => [] }]);
    if (result === undefined || result.kind === 'challenge-gone') {
      await requireChallenge(deps.storage, challengeId);
      throw creatorNotFound(input.creator);
    }
    if (result.kind === 'exists') throw attemptExists(result.attempt);
    return result.attempt;
  };
}

async function resolveCreator(storage: Pick<Storage, 'creators'>, ref: CreatorRef): Promise<Creator> {
  const creator = await storage.creators.find('userId' in ref ? ref.userId : ref);
  if (creator === null) throw creatorNotFound(ref);
  return creator;
}

function creatorNotFound(ref: CreatorRef): DomainError {
  const name = 'userId' in ref ? `userId ${ref.userId}` : 'this externalId';
  return new DomainError('NOT_FOUND', `There is no creator with ${name}: register it first.`);
}

function attemptExists(attempt: Attempt): DomainError {
  return new DomainError('ATTEMPT_EXISTS', 'The creator already has an attempt at this challenge.', {
    details: { attemptId: attempt.id, state: attempt.state },
  });
}
