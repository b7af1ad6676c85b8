/** Looks for the creator of a claim, first in what is stored, then on the platform. */
import { DomainError } from '../../errors.ts';
import { RescheduleError } from '../../ports/job-queue.ts';
import type { Storage } from '../../ports/storage.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { SweepProgress } from '../challenge-data/comment.ts';
import { isResumable } from '../challenge-data/sweep-progress.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import type { Attempt } from './attempt.ts';
import type { EventFacts } from './attempt-events.ts';
import { linksOn } from './load-facts.ts';
import { type Found, handleCheck, lookUpComment, lookUpLike, type Search, type Times } from './look-up.ts';
import type { MatchingStorage } from './matching.ts';
import type { createRemember } from './own-account.ts';
import type { PostReads, Refresh } from './post-reads.ts';
import { rulesOf } from './states.ts';

export interface FindCreatorDeps
  extends Pick<UseCaseParts, 'platforms' | 'clock' | 'logger'>,
    Pick<Search, 'absenceTolerance'> {
  readonly storage: Pick<Storage, 'campaigns'> &
    MatchingStorage & { readonly creators: Pick<Storage['creators'], 'accountsOf'> };
  readonly refreshComments: Refresh;
  readonly refreshLikers: Refresh;
}

/** Refreshes in one run: one may take up an older sweep, the next reads again. */
const MAX_REFRESHES = 3;

/** Without a link nobody can be found, whatever the post shows. */
const NO_LINKS: Found = { kind: 'no-match', absence: { isProven: true }, others: null, unmet: null };

/** What verifications of one moment share. */
export interface Together extends Pick<Search, 'findMatch'> {
  readonly postReads: PostReads;
  readonly remember: ReturnType<typeof createRemember>;
}

/**
 * The match, whose account the link has remembered, or what a reading says about the creator's absence.
 * @throws the platform's failures; `RescheduleError` if the reading of a long post continues in the next run
 */
export async function findCreator(
  deps: FindCreatorDeps & Together,
  attempt: Attempt,
  { campaign, challenge, creator }: EventFacts,
  signal: AbortSignal,
  times = timesOf(attempt),
): Promise<Found> {
  const refresh = challenge.action === 'like' ? deps.refreshLikers : deps.refreshComments;
  const lookUp = challenge.action === 'like' ? lookUpLike : lookUpComment;
  const caller = `creator:${creator.externalId}`;
  let search: Search = {
    ...deps,
    asked: { campaign, challenge },
    times,
    unsure: [],
    holds: handleCheck(deps, { caller, signal }),
  };
  const sweepNow = async () => (challenge.action === 'like' ? null : await deps.storage.comments.sweep(challenge.id));
  let sweep = await sweepNow();
  const before = sweep;
  for (let refreshes = 0; ; ) {
    // After the sweep, which may have told whose accounts they are. One may have been disconnected or linked meanwhile, too.
    const links = linksOn(await deps.storage.creators.accountsOf(attempt.userId), challenge);
    if (links.length === 0) return NO_LINKS;
    const found = await lookUp(search, links, sweep);
    if (found?.kind === 'no-match') return found;
    if (found !== null && (await deps.remember(found))) return found;
    if (found === null && refreshes === MAX_REFRESHES) {
      if (hasMovedOn(sweep, before)) {
        throw new RescheduleError(deps.clock.now(), 'the reading of a long post continues');
      }
      throw new DomainError('PLATFORM_UNAVAILABLE', 'The post could not be read to its end.', {
        details: { reason: 'partial' },
      });
    }
    if (found === null) {
      // One reading from the top for a check: each of them comes later than the one before.
      const since = { freshSince: times.claimedAt, restartBefore: times.checkedAt };
      const isFresh = await deps.postReads.read(challenge.id, refresh, { signal, ...since });
      if (isFresh) refreshes += 1;
    }
    // Reading takes minutes: rules may have become known, and whose post it is.
    if (challenge.rules) search = { ...search, asked: await requireChallenge(deps.storage, challenge.id) };
    // Before the comments: what another reading stores while they are looked through was not looked through.
    sweep = await sweepNow();
  }
}

/** Whether a sweep has more to read and this run made progress: a platform that leads in circles shows no further comments. */
function hasMovedOn(sweep: SweepProgress | null, before: SweepProgress | null): boolean {
  if (sweep === null || !isResumable(sweep)) return false;
  const isSame = before?.startedAt.getTime() === sweep.startedAt.getTime();
  return sweep.totalFetched > (isSame ? before.totalFetched : 0);
}

function timesOf({ stateHistory, updatedAt, recheck }: Attempt): Times {
  const checks = stateHistory.filter(({ state }) => rulesOf(state).awaits === 'verify-attempt');
  const checkedAt = checks.at(-1)?.at ?? updatedAt;
  return { checkedAt, claimedAt: checks.at(-1 - (recheck?.count ?? 0))?.at ?? checkedAt };
}
