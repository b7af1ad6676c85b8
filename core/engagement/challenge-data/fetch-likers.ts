/** Fetching the likers of a challenge's post (docs/specification/engagement.md#likers-fetch-status). */
import { isDomainError } from '../../errors.ts';
import type { JobContext, JobFailure, JobPayloads, JobQueue, NewJob } from '../../ports/job-queue.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { LikersFetch } from './comment.ts';
import { isPermanent } from './platform-failure.ts';
import {
  type LikersFetchDeps,
  MOST_LIKERS,
  markFailed,
  newFetch,
  requireLikers,
  runFetch,
} from './run-likers-fetch.ts';

export interface LikersDeps extends LikersFetchDeps {
  readonly queue: JobQueue;
}

export const DEFAULT_MAX_LIKERS = 1_000;
/** After this many runs that the platform refused, a fetch has failed. */
const MAX_RUNS = 5;

/**
 * Queues a fetch. While one is queued or running that asks for at least as many likers, that one is returned instead.
 *
 * @throws DomainError `NOT_FOUND` when there is no such challenge, `NOT_SUPPORTED` when its platform shows no likers.
 */
export function requestLikers(deps: LikersDeps) {
  return async (challengeId: number, maxCount: number): Promise<LikersFetch> => {
    const { challenge } = await requireChallenge(deps.storage, challengeId);
    requireLikers(deps, challenge);
    const latest = await deps.storage.likers.findFetch({ challengeId });
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

/** Handles a `fetch-likers` job. The fetch records the outcome; the queue retries transient refusals. */
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
 * one fetch. Claims that are checked again come due together, and each request counts against the platform's rate.
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
