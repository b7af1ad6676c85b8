/** Fetching, reporting and listing the likers of a challenge's post (docs/specification/engagement.md#likers-fetch-status). */
import { DomainError, isDomainError } from '../../errors.ts';
import { type Platforms, platformOf } from '../../platforms/platforms.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JobContext, JobFailure, JobPayloads, JobQueue, NewJob } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { PageRequest } from '../../ports/paging.ts';
import type { LikersResult, PlatformLiker } from '../../ports/platform.ts';
import type { Storage } from '../../ports/storage.ts';
import { brandAsCaller, type Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { LikersFetch, NewLiker, StoredLiker } from './comment.ts';
import { larger } from './pages.ts';
import { isPermanent, isPlatformFailure } from './platform-failure.ts';

export interface LikersDeps {
  readonly storage: Pick<Storage, 'campaigns' | 'likers'>;
  readonly platforms: Platforms;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface LikersList {
  readonly challenge: Challenge;
  /** The fetch that the rows belong to; null when none has succeeded. */
  readonly fetch: LikersFetch | null;
  readonly items: readonly StoredLiker[];
  readonly total: number;
}

export const DEFAULT_MAX_LIKERS = 1_000;
export const MOST_LIKERS = 5_000;
/** After this many runs that the platform refused, a fetch has failed. */
const MAX_RUNS = 5;
const INSERT_BATCH = 500;

/**
 * Queues a fetch. While one is queued or running that asks for at least as many likers, that one is returned instead.
 *
 * @throws DomainError `NOT_FOUND` when there is no such challenge, `NOT_SUPPORTED` when its platform shows no likers.
 */
export function requestLikers(deps: LikersDeps) {
  return async (challengeId: number, maxCount: number): Promise<LikersFetch> => {
    const { challenge } = await requireChallenge(deps.storage, challengeId);
    requireLikers(deps, challenge);
    const latest = await deps.storage.likers.latestFetch(challengeId);
    const underWay = latest?.status === 'queued' || latest?.status === 'running';
    const fetch =
      latest && underWay && latest.maxCount >= maxCount ? latest : await newFetch(deps, challengeId, maxCount);
    // Also for the one under way: its request may have died before the job was queued. The key makes it one job.
    await deps.queue.enqueue([likersJob(fetch)]);
    return fetch;
  };
}

/** Known by its key: enqueueing it twice makes one job. */
export function likersJob({ id, challengeId }: Pick<LikersFetch, 'id' | 'challengeId'>): NewJob<'fetch-likers'> {
  return { type: 'fetch-likers', key: `likers:${id}`, payload: { challengeId, fetchId: id } };
}

/** Handles a `fetch-likers` job. The outcome stands in the fetch; refusals that may pass are retried by the queue. */
export function fetchLikersJob(deps: LikersDeps) {
  return async (payload: JobPayloads['fetch-likers'], context: JobContext): Promise<void> => {
    const fetch = await deps.storage.likers.findFetch(payload.fetchId);
    if (fetch === null) return;
    try {
      await runFetch(deps, fetch, context.signal);
    } catch (error) {
      if (context.signal.aborted) throw error;
      const final = isPermanent(error) || isDomainError(error, 'NOT_FOUND') || context.run >= MAX_RUNS;
      if (final) await markFailed(deps, fetch, error);
      if (!final || !isDomainError(error)) throw error;
    }
  };
}

/** The `onDeadLetter` of a `fetch-likers` job: a fetch that is not over has failed. */
export function failLikersFetch(deps: LikersDeps) {
  return async ({ fetchId }: JobPayloads['fetch-likers'], { error }: JobFailure): Promise<void> => {
    const fetch = await deps.storage.likers.findFetch(fetchId);
    if (fetch === null) return;
    await markFailed(deps, fetch, new Error(error));
  };
}

export interface FetchLikersOptions {
  /** Ends the fetch if this call began it, for all who wait for it; they then see the platform's refusal. */
  readonly signal?: AbortSignal;
  /** `MOST_LIKERS` by default. */
  readonly maxCount?: number;
  /** A fetch under way that began before this time is not enough: another one follows it. */
  readonly freshSince?: Date;
}

/**
 * Fetches likers here and now, for the verification of a like. Of verifications at the same time in one process, all wait for
 * one fetch: claims that are checked again come due together, and each request counts against the platform's rate.
 *
 * @throws DomainError `NOT_FOUND`, `NOT_SUPPORTED`, or the platform's refusal; the fetch is then stored as failed.
 */
export function fetchLikersNow(deps: LikersDeps) {
  const underWay = new Map<string, { readonly startedAt: Date; readonly result: Promise<LikersFetch> }>();

  async function fetchOnce(challengeId: number, maxCount: number, signal: AbortSignal | undefined) {
    requireLikers(deps, (await requireChallenge(deps.storage, challengeId)).challenge);
    const fetch = await newFetch(deps, challengeId, maxCount);
    try {
      return await runFetch(deps, fetch, signal);
    } catch (error) {
      await markFailed(deps, fetch, error);
      throw error;
    }
  }

  return async (challengeId: number, options: FetchLikersOptions = {}): Promise<LikersFetch> => {
    const { signal, maxCount = MOST_LIKERS, freshSince } = options;
    const key = `${challengeId}:${maxCount}`;
    let current = underWay.get(key);
    if (current !== undefined && freshSince !== undefined && current.startedAt < freshSince) {
      await current.result.catch(() => undefined);
      current = underWay.get(key);
    }
    if (current === undefined) {
      const result = fetchOnce(challengeId, maxCount, signal).finally(() => underWay.delete(key));
      current = { startedAt: deps.clock.now(), result };
      underWay.set(key, current);
    }
    return await current.result;
  };
}

/** Whether a completed fetch has everybody whom the platform shows: one that found as many as it asked for may have been cut. */
export function isLargestFetch({ maxCount, fetchedCount }: Pick<LikersFetch, 'maxCount' | 'fetchedCount'>): boolean {
  return maxCount >= MOST_LIKERS || fetchedCount < maxCount;
}

/** The most recently requested fetch; null when none was. @throws DomainError `NOT_FOUND` */
export function readLikersStatus(deps: Pick<LikersDeps, 'storage'>) {
  return async (challengeId: number): Promise<LikersFetch | null> => {
    await requireChallenge(deps.storage, challengeId);
    return deps.storage.likers.latestFetch(challengeId);
  };
}

/** A page of the most recent fetch that succeeded. @throws DomainError `NOT_FOUND` */
export function listLikers(deps: Pick<LikersDeps, 'storage'>) {
  return async (challengeId: number, page: PageRequest): Promise<LikersList> => {
    const { challenge } = await requireChallenge(deps.storage, challengeId);
    const fetch = await deps.storage.likers.latestCompleted(challengeId);
    if (fetch === null) return { challenge, fetch, items: [], total: 0 };
    return { challenge, fetch, ...(await deps.storage.likers.page(fetch.id, page)) };
  };
}

async function newFetch(deps: LikersDeps, challengeId: number, maxCount: number): Promise<LikersFetch> {
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

/** The fetch as it stands in the end: another run may have concluded it first. */
async function runFetch(deps: LikersDeps, fetch: LikersFetch, signal: AbortSignal | undefined): Promise<LikersFetch> {
  const running: LikersFetch = { ...fetch, status: 'running', startedAt: fetch.startedAt ?? deps.clock.now() };
  if (!(await deps.storage.likers.updateFetch(running))) return standing(deps, fetch);
  const { campaign, challenge } = await requireChallenge(deps.storage, fetch.challengeId);
  const platform = platformOf(deps.platforms, challenge.platform);
  const call = { caller: brandAsCaller(campaign), ...(signal ? { signal } : {}) };
  const result = await platform.getLikers(challenge, fetch.maxCount, call);
  const likers = [...new Map(result.likers.map((liker) => [liker.accountId, liker])).values()].slice(0, fetch.maxCount);
  for (let from = 0; from < likers.length; from += INSERT_BATCH) {
    await deps.storage.likers.insertNew(fetch.id, likers.slice(from, from + INSERT_BATCH).map(toNewLiker));
  }
  const fetchedCount = likers.length;
  const totalLikes = await totalOf(deps, challenge, result, signal);
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
 * How many likes there are; null if that is not known. A list that is empty, or longer than it says, may be broken: the post
 * itself is asked then. Likers that cannot be read are likers.
 */
async function totalOf(
  deps: LikersDeps,
  challenge: Challenge,
  { likers, totalLikes, skipped = 0 }: LikersResult,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const listed = totalLikes === 0 ? null : totalLikes;
  const isPlausible = listed !== null && listed >= likers.length;
  const total = isPlausible ? listed : larger(listed, await likesOfPost(deps, challenge, signal));
  return total !== null && skipped > 0 ? Math.max(total, likers.length + skipped) : total;
}

async function likesOfPost(
  deps: LikersDeps,
  challenge: Challenge,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  try {
    const platform = platformOf(deps.platforms, challenge.platform);
    return (await platform.getPost(challenge, signal ? { signal } : {})).stats.likes;
  } catch (error) {
    signal?.throwIfAborted();
    if (!isPlatformFailure(error)) throw error;
    deps.logger.info({ challengeId: challenge.id, code: error.code }, 'the number of likes is not known');
    return null;
  }
}

async function standing(deps: LikersDeps, fetch: LikersFetch): Promise<LikersFetch> {
  return (await deps.storage.likers.findFetch(fetch.id)) ?? fetch;
}

async function markFailed(deps: LikersDeps, fetch: LikersFetch, error: unknown): Promise<void> {
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

function requireLikers(deps: Pick<LikersDeps, 'platforms'>, challenge: Challenge): void {
  if (platformOf(deps.platforms, challenge.platform).supports.likers) return;
  const label = deps.platforms.labelOf(challenge.platform);
  throw new DomainError('NOT_SUPPORTED', `${label} does not show who liked a post; use a comment challenge.`, {
    details: { platform: challenge.platform },
  });
}
