/** Fetching the likers of a challenge's post (docs/specification/engagement.md#likers-fetch-status). */
import { isDomainError } from '../../errors.ts';
import type { JobContext, JobFailure, JobPayloads, NewJob } from '../../ports/job-queue.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
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

export type LikersDeps = LikersFetchDeps & Pick<UseCaseParts, 'queue'>;

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

/**
 * Fetches likers here and now, for the verification of a like. The signal ends the fetch.
 * @throws DomainError `NOT_FOUND`, `NOT_SUPPORTED`, or the platform's refusal; the fetch is then stored as failed.
 */
export function fetchLikersNow(deps: LikersDeps) {
  return async (challengeId: number, { signal }: { readonly signal?: AbortSignal } = {}): Promise<LikersFetch> => {
    requireLikers(deps, (await requireChallenge(deps.storage, challengeId)).challenge);
    const fetch = await newFetch(deps, challengeId, MOST_LIKERS);
    try {
      return await runFetch(deps, fetch, signal);
    } catch (error) {
      await markFailed(deps, fetch, error);
      throw error;
    }
  };
}
