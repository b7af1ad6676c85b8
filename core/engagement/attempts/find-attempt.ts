import { inPieces } from '../../bulk.ts';
import { DomainError } from '../../errors.ts';
import { normaliseHandle } from '../../platforms/handle.ts';
import type { ParticipantFilter } from '../../ports/attempt-store.ts';
import type { Storage, Stores } from '../../ports/storage.ts';
import type { Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { SocialAccount } from '../creators/creator.ts';
import type { Attempt } from './attempt.ts';
import { withDeadline } from './deadline.ts';
import { lastHandle } from './load-facts.ts';

export interface AttemptRef {
  readonly challengeId: number;
  readonly attemptId: number;
}

/** The attempt, if it belongs to the challenge. @throws DomainError `NOT_FOUND` */
export async function getAttempt(deps: Stores<'attempts'>, { challengeId, attemptId }: AttemptRef): Promise<Attempt> {
  const attempt = await deps.storage.attempts.find(attemptId);
  if (attempt?.challengeId === challengeId) return attempt;
  throw new DomainError('NOT_FOUND', `Challenge ${challengeId} has no attempt ${attemptId}.`);
}

/** As `getAttempt`, with the effective deadline: to be shown, and not to be changed. */
export function readAttempt(deps: Stores<'attempts' | 'campaigns'>) {
  return async (ref: AttemptRef): Promise<Attempt> => {
    const attempt = await getAttempt(deps, ref);
    return withDeadline(attempt, (await requireChallenge(deps.storage, ref.challengeId)).campaign);
  };
}

const PAGE = 1_000;

/** The attempts of a challenge that a filter leaves, by id, a page at a time. */
export function attemptsOf(
  { attempts }: Pick<Storage, 'attempts'>,
  { id, platform }: Challenge,
  filter: ParticipantFilter,
): AsyncGenerator<readonly Attempt[]> {
  return inPieces(async (last) => {
    const page = { page: 1, limit: PAGE, after: last && { id: last.id } };
    return (await attempts.participants(id, platform, filter, page)).items.map(({ attempt }) => attempt);
  });
}

/**
 * The attempt of the creator to whom this handle is linked on the challenge's platform; the newest when the handle is
 * linked to several creators. When none of them has one, the attempt of a creator to whom it was linked when the attempt was made
 * or last seen. Disconnecting a handle keeps what was done under it
 * (docs/specification/engagement.md#creators-and-social-accounts). With its effective deadline. Null without any.
 * @throws DomainError `NOT_FOUND` for an unknown challenge
 */
export function findAttemptByHandle(deps: Stores<'attempts' | 'campaigns' | 'creators'>) {
  return async (input: { readonly challengeId: number; readonly handle: string }): Promise<Attempt | null> => {
    const { attempts, creators } = deps.storage;
    const { campaign, challenge } = await requireChallenge(deps.storage, input.challengeId);
    const links = await creators.findByHandle(challenge.platform, normaliseHandle(input.handle), { ended: true });
    const current: Attempt[] = [];
    const past: Attempt[] = [];
    for (const { creator, account } of links) {
      const attempt = await attempts.find({ challengeId: input.challengeId, userId: creator.id });
      if (attempt === null) continue;
      if (account.disconnectedAt === null) current.push(attempt);
      else if (wasMadeUnder(attempt, account, account.disconnectedAt)) past.push(attempt);
    }
    const found = newest(current) ?? newest(past);
    return found === undefined ? null : withDeadline(found, campaign);
  };
}

/** Reconnecting overwrites when a handle was connected first; the attempt still knows the handle that it was seen with. */
function wasMadeUnder(attempt: Attempt, account: SocialAccount, disconnectedAt: Date): boolean {
  const wasLinked = account.connectedAt <= attempt.createdAt || lastHandle(attempt) === account.platformUsername;
  return wasLinked && attempt.createdAt <= disconnectedAt;
}

function newest(found: readonly Attempt[]): Attempt | undefined {
  return found.toSorted((a, b) => b.id - a.id)[0];
}
