/** One fetch of the likers of a post: made, run, and concluded in storage. */
import { DomainError, isDomainError } from '../../errors.ts';
import { platformOf } from '../../platforms/platforms.ts';
import type { LikersResult, PlatformCallOptions, PlatformLiker } from '../../ports/platform.ts';
import { DEFAULT_ABSENCE_TOLERANCE, GONE_AFTER_MS, showsTooFew } from '../attempts/absence.ts';
import { brandAsCaller, type Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { Needs } from '../use-case-parts.ts';
import type { LikersFetch, NewLiker } from './comment.ts';
import { larger } from './page.ts';
import { ifReadable } from './platform-failure.ts';

export type LikersFetchDeps = Needs<'campaigns' | 'likers', 'platforms' | 'clock' | 'logger'>;

export const MOST_LIKERS = 5_000;
const INSERT_BATCH = 500;

/** Whether a completed fetch has everybody whom the platform shows: one that found as many as it asked for may have been cut. */
export function isLargestFetch({ maxCount, fetchedCount }: Pick<LikersFetch, 'maxCount' | 'fetchedCount'>): boolean {
  return maxCount >= MOST_LIKERS || fetchedCount < maxCount;
}

/** Stores a fetch that is to be run. */
export async function newFetch(deps: LikersFetchDeps, challengeId: number, maxCount: number): Promise<LikersFetch> {
  return deps.storage.likers.createFetch({
    challengeId,
    status: 'queued',
    maxCount: Math.min(maxCount, MOST_LIKERS),
    fetchedCount: 0,
    totalLikes: null,
    errorMessage: null,
    warning: null,
    requestedAt: deps.clock.now(),
    startedAt: null,
    finishedAt: null,
  });
}

/**
 * Reads the likers into storage. Resolves to the final fetch, which another run may have concluded first.
 * @throws the platform's refusal, and `NOT_FOUND` if the challenge is gone
 */
export async function runFetch(
  deps: LikersFetchDeps,
  fetch: LikersFetch,
  signal: AbortSignal | undefined,
): Promise<LikersFetch> {
  const running: LikersFetch = { ...fetch, status: 'running', startedAt: fetch.startedAt ?? deps.clock.now() };
  if (!(await deps.storage.likers.updateFetch(running))) return standing(deps, fetch);
  const { campaign, challenge } = await requireChallenge(deps.storage, fetch.challengeId);
  const platform = platformOf(deps.platforms, challenge.platform);
  const call = { caller: brandAsCaller(campaign), brandId: campaign.brandId, ...(signal ? { signal } : {}) };
  const result = await platform.getLikers(challenge, fetch.maxCount, call);
  const likers = [...new Map(result.likers.map((liker) => [liker.accountId, liker])).values()].slice(0, fetch.maxCount);
  for (let from = 0; from < likers.length; from += INSERT_BATCH) {
    await deps.storage.likers.insertNew(fetch.id, likers.slice(from, from + INSERT_BATCH).map(toNewLiker));
  }
  const fetchedCount = likers.length;
  const totalLikes = larger(await totalOf(deps, challenge, result, call), await knownBeside(deps, fetch, fetchedCount));
  const done: LikersFetch = {
    ...running,
    status: 'succeeded',
    fetchedCount,
    totalLikes,
    warning: warningOf(fetchedCount, fetch.maxCount, totalLikes),
    finishedAt: deps.clock.now(),
  };
  return (await deps.storage.likers.updateFetch(done)) ? done : standing(deps, fetch);
}

/**
 * How many likers the fetch before this one knows of, if this one shows too few of them; else null. Those that were missing hours ago as
 * well are gone.
 */
async function knownBeside(
  { storage }: LikersFetchDeps,
  { challengeId, requestedAt }: LikersFetch,
  seen: number,
): Promise<number | null> {
  const which = { challengeId, status: 'succeeded' } as const;
  const before = await storage.likers.findFetch(which);
  // Of one that showed too few the total is what others knew before it.
  const known = Math.max(before?.fetchedCount ?? 0, before?.totalLikes ?? 0);
  const lacks = (shown: number) => showsTooFew(shown, known, DEFAULT_ABSENCE_TOLERANCE);
  if (!lacks(seen)) return null;
  // Likes are hidden for days, too: an empty list shows nothing of what is gone.
  if (seen === 0 || before === null || !lacks(before.fetchedCount)) return known;
  const hoursAgo = new Date(requestedAt.getTime() - GONE_AFTER_MS);
  const older = await storage.likers.findFetch({ ...which, requestedBefore: hoursAgo });
  return older !== null && lacks(older.fetchedCount) ? null : known;
}

/**
 * How many likes there are; null if that is not known. A list that lacks likers by its own total is believed. Any other may have
 * ended too early, so the post itself is asked; a post that hides the number leaves it unknown. Likers that cannot be read are likers.
 */
async function totalOf(
  deps: LikersFetchDeps,
  challenge: Challenge,
  { likers, totalLikes, skipped = 0 }: LikersResult,
  call: PlatformCallOptions,
): Promise<number | null> {
  const listed = totalLikes === 0 ? null : totalLikes;
  let total = listed;
  if (listed === null || listed <= likers.length) {
    const told = { ...deps, signal: call.signal };
    const post = await ifReadable(told, { challengeId: challenge.id }, 'the number of likes is not known', async () =>
      platformOf(deps.platforms, challenge.platform).getPost(challenge, call),
    );
    const isHidden = post !== null && post.stats.likes === null;
    total = isHidden ? null : larger(listed, post?.stats.likes ?? null);
  }
  return total !== null && skipped > 0 ? Math.max(total, likers.length + skipped) : total;
}

async function standing(deps: LikersFetchDeps, fetch: LikersFetch): Promise<LikersFetch> {
  return (await deps.storage.likers.findFetch(fetch.id)) ?? fetch;
}

/** Stores that a fetch has failed, unless it is over. */
export async function markFailed(deps: LikersFetchDeps, fetch: LikersFetch, error: unknown): Promise<void> {
  deps.logger.warn({ challengeId: fetch.challengeId, fetchId: fetch.id, err: error }, 'likers fetch failed');
  const current = await standing(deps, fetch);
  // The text of a defect is for the log only.
  const errorMessage = isDomainError(error) ? `${error.code}: ${error.message}` : 'An unexpected failure; see the log.';
  // A verification and a job may run one fetch between them: the store keeps what either has brought home.
  await deps.storage.likers.updateFetch({ ...current, status: 'failed', errorMessage, finishedAt: deps.clock.now() });
}

function warningOf(fetchedCount: number, maxCount: number, totalLikes: number | null): string | null {
  if (totalLikes === null) return 'The platform hides the number of likes: there may be more likers than these.';
  if (fetchedCount >= totalLikes) return null;
  const reason = fetchedCount >= maxCount ? 'as many as were asked for' : 'the platform shows no more';
  return `Only ${fetchedCount} of ${totalLikes} likers were fetched: ${reason}.`;
}

function toNewLiker(liker: PlatformLiker): NewLiker {
  return {
    igUserId: liker.accountId,
    username: liker.username,
    fullName: liker.fullName,
    isPrivate: liker.isPrivate,
    isVerified: liker.isVerified,
    profilePicUrl: liker.profilePicUrl,
  };
}

/** @throws DomainError `NOT_SUPPORTED` for a platform that shows no likers */
export function requireLikers(deps: Pick<LikersFetchDeps, 'platforms'>, challenge: Challenge): void {
  if (platformOf(deps.platforms, challenge.platform).supports.likers) return;
  const label = deps.platforms.labelOf(challenge.platform);
  throw new DomainError('NOT_SUPPORTED', `${label} does not show who liked a post; use a comment challenge.`, {
    details: { platform: challenge.platform },
  });
}
