import { DomainError } from '../../errors.ts';
import { normaliseHandle } from '../../lookups/handle.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Attempt } from '../attempt.ts';
import { challengeNotFound } from './load-facts.ts';

export interface AttemptRef {
  readonly challengeId: number;
  readonly attemptId: number;
}

/** The attempt, if it belongs to the challenge. @throws DomainError `NOT_FOUND` */
export function getAttempt(deps: { readonly storage: Pick<Storage, 'attempts'> }) {
  return async ({ challengeId, attemptId }: AttemptRef): Promise<Attempt> => {
    const attempt = await deps.storage.attempts.find(attemptId);
    if (attempt === null || attempt.challengeId !== challengeId) {
      throw new DomainError('NOT_FOUND', `Challenge ${challengeId} has no attempt ${attemptId}.`);
    }
    return attempt;
  };
}

/**
 * The attempt of the creator to whom this handle is linked on the challenge's platform; the newest when the handle is
 * linked to several creators, null when none of them has one.
 * @throws DomainError `NOT_FOUND` for an unknown challenge
 */
export function findAttemptByHandle(deps: { readonly storage: Pick<Storage, 'attempts' | 'campaigns' | 'creators'> }) {
  return async (input: { readonly challengeId: number; readonly handle: string }): Promise<Attempt | null> => {
    const { attempts, campaigns, creators } = deps.storage;
    const campaign = await campaigns.findByChallenge(input.challengeId);
    if (campaign === null) throw challengeNotFound(input.challengeId);
    const linked = await creators.findByHandle(campaign.challenge.platform, normaliseHandle(input.handle));
    const found: Attempt[] = [];
    for (const { creator } of linked) {
      const attempt = await attempts.findByCreator(input.challengeId, creator.id);
      if (attempt !== null) found.push(attempt);
    }
    return found.sort((a, b) => b.id - a.id)[0] ?? null;
  };
}
