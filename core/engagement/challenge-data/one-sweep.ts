/** One sweep of a challenge's comments: plans who takes it over, walks, and looks a second time if a verdict needs it. */
import { isDomainError } from '../../errors.ts';
import { type Platforms, platformOf } from '../../platforms/platforms.ts';
import type { CampaignStore } from '../../ports/campaign-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import type { JobQueue } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Platform } from '../../ports/platform.ts';
import { type AbsenceTolerance, commentsAbsence } from '../attempts/absence.ts';
import { brandAsCaller, type Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { SweepProgress } from './comment.ts';
import { walkComments } from './comment-walk.ts';
import { isPlatformFailure } from './platform-failure.ts';
import { isResumable, startOf } from './progress.ts';
import { createWitness, isConfirmed } from './second-reading.ts';
import type { EndedSweep, WalkDeps, WalkLimits } from './walk-deps.ts';

export interface OneSweepDeps {
  readonly campaigns: Pick<CampaignStore, 'findByChallenge'>;
  readonly comments: CommentStore;
  readonly platforms: Platforms;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<WalkLimits>;
  /** A sweep that gave no sign of life for this long is taken over. */
  readonly takeOverAfterMs: number;
  readonly absenceTolerance: AbsenceTolerance;
  /** Ends the sweep; its progress stays. */
  readonly signal: AbortSignal;
}

export interface OneSweepInput {
  readonly challengeId: number;
  /** Somebody waits for a verdict on a claim. */
  readonly forVerdict: boolean;
  /** Whose share of the platform's rate is used; the brand's by default. */
  readonly caller?: string | undefined;
}

const DEFAULT_LIMITS: WalkLimits = { maxPages: 500, maxReplyPages: 5_000, maxPagesPerThread: 500 };

/**
 * Sweeps, continuing where the last sweep stopped if it can be gone on from.
 * @throws DomainError `NOT_FOUND`, the platform's refusal when nothing could be read, and the signal's reason
 */
export function sweepOnce(deps: OneSweepDeps) {
  const { comments, clock, logger } = deps;
  return async ({ challengeId, forVerdict, caller: asked }: OneSweepInput): Promise<EndedSweep> => {
    const { campaign, challenge } = await requireChallenge(deps, challengeId);
    const caller = asked ?? brandAsCaller(campaign);
    const now = clock.now();
    const start = startOf(challengeId, await comments.sweep(challengeId), now);
    // Side by side: a storage that writes what comes together in one go writes both at once.
    await Promise.all([planTakeOver(deps, challengeId, now), comments.saveSweep(start)]);
    try {
      return await walk(deps, challenge, start, { forVerdict, caller });
    } catch (error) {
      // A cursor of an earlier day or version that the platform no longer takes.
      if (!isResumable(start) || !isDomainError(error, 'INVALID_REQUEST')) throw error;
      logger.warn({ challengeId }, 'a saved cursor is no longer taken; the sweep starts again');
      const anew = startOf(challengeId, null, now);
      await comments.saveSweep(anew);
      return await walk(deps, challenge, anew, { forVerdict, caller });
    }
  };
}

/** Saves that a sweep broke off, so that it is not said to be running any more. */
export async function saveBroken(deps: Pick<OneSweepDeps, 'comments' | 'clock'>, last: SweepProgress): Promise<void> {
  const status = isResumable(last) ? 'partial' : 'failed';
  await deps.comments.saveSweep({ ...last, status, updatedAt: deps.clock.now() });
}

async function planTakeOver({ queue, takeOverAfterMs }: OneSweepDeps, challengeId: number, now: Date): Promise<void> {
  await queue.enqueue([
    {
      type: 'sweep-comments',
      // Of its own: the job of the last sweep may be just about to end, having seen that sweep over.
      key: `sweep:${challengeId}:${now.getTime()}`,
      payload: { challengeId },
      runAt: new Date(now.getTime() + takeOverAfterMs),
    },
  ]);
}

async function walk(
  deps: OneSweepDeps,
  challenge: Challenge,
  start: SweepProgress,
  { forVerdict, caller }: { readonly forVerdict: boolean; readonly caller: string },
): Promise<EndedSweep> {
  const { comments, clock, logger, signal, absenceTolerance } = deps;
  const platform = platformOf(deps.platforms, challenge.platform);
  const repliesCount = deps.platforms.describe(challenge.platform).sweepsReplies;
  const first = createWitness();
  const walkDeps: WalkDeps = {
    comments,
    platform,
    post: challenge,
    withReplies: platform.supports.replies && repliesCount,
    repliesCount,
    onPage: first.onPage,
    askTotal: () => askTotal(deps, platform, challenge, caller),
    limits: { ...DEFAULT_LIMITS, ...deps.limits },
    clock,
    logger,
    signal,
    caller,
    heartbeatMs: deps.takeOverAfterMs / 3,
  };
  try {
    const ended = await walkComments(walkDeps, start);
    // A paid way may be asked: only if somebody waits for a verdict, and if this sweep can be compared from its first page on.
    const proves = ended.status !== 'swept' || commentsAbsence(ended, absenceTolerance).isProven;
    if (proves || !forVerdict || isResumable(start) || ended.skipped > 0) return ended;
    const confirmed = await isConfirmed(walkDeps, startOf(challenge.id, null, start.startedAt), first);
    const checked = { ...ended, confirmed, updatedAt: clock.now() };
    if (confirmed) await comments.saveSweep(checked);
    return checked;
  } catch (error) {
    signal.throwIfAborted();
    if (isDomainError(error)) await saveBroken(deps, (await comments.sweep(challenge.id)) ?? start);
    throw error;
  }
}

/** What the post itself says, which comes from elsewhere than the list of its comments. */
async function askTotal(
  { signal, logger }: OneSweepDeps,
  platform: Platform,
  challenge: Challenge,
  caller: string,
): Promise<number | null> {
  try {
    const { stats } = await platform.getPost(challenge, { signal, caller });
    return stats.comments;
  } catch (error) {
    signal.throwIfAborted();
    if (!isPlatformFailure(error)) throw error;
    logger.info({ challengeId: challenge.id, code: error.code }, 'the number of comments is not known');
    return null;
  }
}
