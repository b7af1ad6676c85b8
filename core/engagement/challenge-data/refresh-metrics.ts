/** A new metrics snapshot of a challenge's post (docs/specification/engagement.md#metrics-snapshot). */
import { DomainError, isDomainError } from '../../errors.ts';
import { platformOf } from '../../platforms/platforms.ts';
import { monotonicMs } from '../../ports/clock.ts';
import type { JobContext, JobPayloads } from '../../ports/job-queue.ts';
import type { PlatformCallOptions } from '../../ports/platform.ts';
import { brandAsCaller } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { Needs } from '../use-case-parts.ts';
import type { MetricsSnapshot } from './comment.ts';
import { isPermanent } from './platform-failure.ts';

export interface MetricsDeps extends Needs<'campaigns' | 'metrics', 'platforms' | 'queue' | 'clock' | 'logger'> {
  /** How long a refresh is waited for before it is carried on as a job; 25 seconds by default. */
  readonly patienceMs?: number;
}

/** When a platform asks to slow down without saying for how long. */
const DEFAULT_WAIT_SECONDS = 60;

/**
 * Reads the post and stores a snapshot. What takes longer than 25 seconds, or has to wait for a rate limit, is carried on
 * as a `refresh-metrics` job.
 *
 * @throws DomainError `NOT_FOUND` when there is no such challenge or it is deleted meanwhile, or the platform's refusal.
 */
export function refreshMetrics(deps: MetricsDeps) {
  return async (challengeId: number, signal?: AbortSignal, caller?: string) => {
    const begun = monotonicMs(deps.clock);
    const requestedAt = deps.clock.now();
    const patience = deps.patienceMs ?? 25_000;
    const patienceOver = AbortSignal.timeout(patience);
    try {
      const snapshot = await readSnapshot(deps, challengeId, {
        signal: signal ? AbortSignal.any([patienceOver, signal]) : patienceOver,
        deadline: new Date(requestedAt.getTime() + patience),
        ...(caller === undefined ? {} : { caller }),
      });
      return { kind: 'refreshed', snapshot } as const;
    } catch (error) {
      const wait = waitOf(error, patienceOver.aborted || monotonicMs(deps.clock) - begun >= patience);
      if (wait === null || signal?.aborted) throw error;
      const runAt = new Date(deps.clock.now().getTime() + wait * 1_000);
      const job = { type: 'refresh-metrics', key: `metrics:${challengeId}`, payload: { challengeId }, runAt } as const;
      await deps.queue.enqueue([job]);
      return { kind: 'queued', challengeId, requestedAt } as const;
    }
  };
}

/** Handles a `refresh-metrics` job. A refusal that waiting does not change ends it; others are retried by the queue. */
export function refreshMetricsJob(deps: MetricsDeps) {
  return async (
    { challengeId }: JobPayloads['refresh-metrics'],
    context: Pick<JobContext, 'signal'>,
  ): Promise<void> => {
    try {
      await readSnapshot(deps, challengeId, { signal: context.signal });
    } catch (error) {
      if (!isPermanent(error) && !isDomainError(error, 'NOT_FOUND')) throw error;
      deps.logger.warn({ challengeId, err: error }, 'metrics cannot be refreshed');
    }
  };
}

/** The latest snapshot. @throws DomainError `NOT_FOUND` when there is no such challenge, or none was taken yet. */
export function readMetrics(deps: Pick<MetricsDeps, 'storage'>) {
  return async (challengeId: number): Promise<MetricsSnapshot> => {
    const snapshot = await deps.storage.metrics.latest(challengeId);
    if (snapshot !== null) return snapshot;
    await requireChallenge(deps.storage, challengeId);
    throw new DomainError('NOT_FOUND', `No metrics of challenge ${challengeId} were fetched yet; refresh them first.`);
  };
}

async function readSnapshot(
  deps: MetricsDeps,
  challengeId: number,
  options: PlatformCallOptions,
): Promise<MetricsSnapshot> {
  const { campaign, challenge } = await requireChallenge(deps.storage, challengeId);
  const { stats, post } = await platformOf(deps.platforms, challenge.platform).getPost(challenge, {
    caller: brandAsCaller(campaign),
    brandId: campaign.brandId,
    ...options,
  });
  const snapshot: MetricsSnapshot = {
    challengeId,
    likeCount: stats.likes,
    commentCount: stats.comments,
    shareCount: stats.shares,
    viewCount: stats.views,
    thumbnailUrl: post.thumbnailUrl,
    fetchedAt: deps.clock.now(),
  };
  await deps.storage.metrics.add(snapshot);
  // Nothing is kept of a challenge that was deleted meanwhile.
  await requireChallenge(deps.storage, challengeId);
  return snapshot;
}

/** Seconds to wait before the job; null when the failure is not one of waiting. */
function waitOf(error: unknown, outOfPatience: boolean): number | null {
  if (isDomainError(error, 'SCRAPING_RATE_LIMITED')) return error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS;
  return outOfPatience && (isDomainError(error, 'PLATFORM_TIMEOUT') || !isDomainError(error)) ? 0 : null;
}
