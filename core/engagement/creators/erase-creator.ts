/** The personal data of a creator: handed out, or erased. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError, noSuch } from '../../errors.ts';
import type { Erasure, ErasureResult, PersonalData } from '../../ports/personal-data-store.ts';
import type { Stores } from '../../ports/storage.ts';
import type { Attempt } from '../attempts/attempt.ts';
import { effectiveDeadline } from '../attempts/deadline.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { Needs } from '../use-case-parts.ts';

/** Returns everything that is stored about a creator. @throws DomainError `NOT_FOUND` */
export function exportCreator(deps: Stores<'creators'>) {
  return async ({ userId }: Pick<Erasure, 'userId'>): Promise<PersonalData> => {
    const data = await deps.storage.creators.personalData(userId);
    if (data === null) throw noSuch('creator', userId);
    return data;
  };
}

/**
 * Erases the personal data of a creator for good. Ids, states, points and counts stay. Idempotent. Asks nothing of platforms.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while attempts of the creator are under way (`details.attempts`)
 */
export function eraseCreator(deps: Needs<'creators' | 'campaigns', 'clock' | 'random'>) {
  return async ({ userId }: Pick<Erasure, 'userId'>): Promise<Extract<ErasureResult, { readonly kind: 'erased' }>> => {
    const suffix = bytesToHex(deps.random.bytes(8));
    const result = await deps.storage.creators.erase({ userId, suffix, now: deps.clock.now() });
    if (result === null) throw noSuch('creator', userId);
    if (result.kind === 'under-way') throw await underWay(deps, userId, result.attempts);
    return result;
  };
}

async function underWay({ storage }: Stores<'campaigns'>, userId: number, attempts: readonly Attempt[]) {
  const tell = async (attempt: Attempt) => {
    const { id: attemptId, challengeId, state } = attempt;
    const deadline = effectiveDeadline(attempt, (await requireChallenge(storage, challengeId)).campaign);
    return { attemptId, challengeId, state, verificationDeadline: deadline?.toISOString() ?? null };
  };
  const named = await Promise.all(attempts.map(tell));
  const which = attempts.map(({ id, state }) => `${id} (${state})`).join(', ');
  return new DomainError(
    'CONFLICT',
    `Creator ${userId} has attempts under way: ${which}. Try again when they are decided: at the latest some minutes after their deadline, or after you end their campaigns.`,
    { details: { attempts: named } },
  );
}
