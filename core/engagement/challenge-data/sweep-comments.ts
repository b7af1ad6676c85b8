/** Refreshing the stored comments of a challenge (docs/specification/engagement.md#comments-refresh-result). */
import { DomainError, isDomainError } from '../../errors.ts';
import { type Platforms, platformOf } from '../../platforms/platforms.ts';
import type { CampaignStore } from '../../ports/campaign-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CommentStore } from '../../ports/comment-store.ts';
import { type JobFailure, type JobPayloads, type JobQueue, RescheduleError } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Platform } from '../../ports/platform.ts';
import {
  type AbsenceTolerance,
  commentsAbsence,
  DEFAULT_ABSENCE_TOLERANCE,
  type SweepCoverage,
} from '../attempts/absence.ts';
import { brandAsCaller, type Challenge } from '../campaigns/campaign.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { SweepProgress, SweepStatus } from './comment.ts';
import { type EndedSweep, type WalkDeps, type WalkLimits, walkComments } from './comment-walk.ts';
import { isPlatformFailure } from './platform-failure.ts';
import { isResumable, startOf } from './progress.ts';
import { createWitness, isConfirmed } from './second-reading.ts';

export interface SweepCommentsDeps {
  readonly campaigns: Pick<CampaignStore, 'findByChallenge'>;
  readonly comments: CommentStore;
  readonly platforms: Platforms;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits?: Partial<WalkLimits>;
  /** A sweep that gave no sign of life for this long is taken for dead and taken over; 60 seconds by default. */
  readonly takeOverAfterMs?: number;
  /** How many comments a sweep may lack without a warning; `DEFAULT_ABSENCE_TOLERANCE` by default. */
  readonly absenceTolerance?: AbsenceTolerance;
}

/** How long to wait for a sweep, and which one is good enough. */
export interface SweepOptions {
  /** Gives up waiting, with the signal's reason; the sweep itself goes on. */
  readonly signal?: AbortSignal;
  /** Waits no longer: what was read until then is answered as `partial`; the sweep itself goes on. */
  readonly deadline?: Date;
  /** A sweep under way that began before this time is not enough: another one follows it. */
  readonly freshSince?: Date;
  /** Whose share of the platform's rate is used by a sweep that this call begins; the brand's by default. */
  readonly caller?: string;
}

/** What a sweep read. */
export interface SweepResult {
  /** Distinct comments and replies read, over all parts of a sweep that went on where an earlier one stopped. */
  readonly totalFetched: number;
  readonly sweepStatus: SweepStatus;
  /** True only when every cursor, those of replies too, was read to its end. */
  readonly historyComplete: boolean;
  /** How many comments, replies included, the platform says exist; null if it does not say. */
  readonly expectedTotal: number | null;
  /** What the sweep may have missed, for people; null if it saw as much as there is. */
  readonly warning: string | null;
}

/** Reads the comments of challenges into the storage. */
export interface CommentSweeper {
  /**
   * Sweeps the comments of a challenge into storage. Of calls at the same time in one process, all wait for one sweep.
   * A sweep that stopped halfway within the last day is continued, after a look at the newest comments; one that was
   * complete starts anew. Two processes may sweep one challenge at a time: each comment is still stored once.
   *
   * @throws DomainError `NOT_FOUND` when there is no such challenge; the platform's refusal when nothing could be read;
   * `SERVICE_UNAVAILABLE` once closed.
   */
  sweep(challengeId: number, options?: SweepOptions): Promise<SweepResult>;
  /** Handles a `sweep-comments` job: takes over a sweep whose process died, leaves a living or finished one alone. */
  takeOver(payload: JobPayloads['sweep-comments']): Promise<void>;
  /** The `onDeadLetter` of that job: a sweep that nobody could take over is not said to be running any more. */
  abandon(payload: JobPayloads['sweep-comments'], failure: JobFailure): Promise<void>;
  /** Stops the sweeps under way; their progress stays, for the next sweep or another process to go on from. */
  close(): Promise<void>;
}

const DEFAULT_LIMITS: WalkLimits = { maxPages: 500, maxReplyPages: 5_000, maxPagesPerThread: 500 };
/** A timer set further ahead than this would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface Purpose {
  /** Somebody waits for a verdict on a claim. */
  readonly forVerdict: boolean;
  readonly caller: string;
}

interface SweepUnderWay {
  readonly startedAt: Date;
  readonly result: Promise<SweepResult>;
}

export function createCommentSweeper(deps: SweepCommentsDeps): CommentSweeper {
  const { comments, clock, logger, takeOverAfterMs = 60_000, absenceTolerance = DEFAULT_ABSENCE_TOLERANCE } = deps;
  const underWay = new Map<number, SweepUnderWay>();
  const stopping = new AbortController();

  async function sweep(challengeId: number, options: SweepOptions = {}): Promise<SweepResult> {
    stopping.signal.throwIfAborted();
    options.signal?.throwIfAborted();
    let current = underWay.get(challengeId);
    if (current && options.freshSince && current.startedAt < options.freshSince) {
      await patiently(
        current.result.catch(() => undefined),
        challengeId,
        options,
      );
      current = underWay.get(challengeId);
    }
    const result = await patiently((current ?? begin(challengeId, options)).result, challengeId, options);
    return result ?? soFar(await comments.sweep(challengeId), absenceTolerance);
  }

  function begin(challengeId: number, options: SweepOptions): SweepUnderWay {
    const result = run(challengeId, options).finally(() => underWay.delete(challengeId));
    // Whoever waits gets the error; when nobody does, it must not end the process.
    result.catch((error: unknown) => logger.info({ challengeId, err: error }, 'sweep failed'));
    const started = { startedAt: clock.now(), result };
    underWay.set(challengeId, started);
    return started;
  }

  async function run(challengeId: number, options: SweepOptions): Promise<SweepResult> {
    const found = await requireChallenge(deps, challengeId);
    const { caller = brandAsCaller(found.campaign) } = options;
    const purpose = { forVerdict: options.freshSince !== undefined, caller };
    const now = clock.now();
    const start = startOf(challengeId, await comments.sweep(challengeId), now);
    // Side by side: a storage that writes what comes together in one go writes both at once.
    await Promise.all([
      deps.queue.enqueue([
        {
          type: 'sweep-comments',
          // Of its own: the job of the last sweep may be just about to end, having seen that sweep over.
          key: `sweep:${challengeId}:${now.getTime()}`,
          payload: { challengeId },
          runAt: new Date(now.getTime() + takeOverAfterMs),
        },
      ]),
      comments.saveSweep(start),
    ]);
    try {
      return toResult(await walk(found.challenge, start, purpose), absenceTolerance);
    } catch (error) {
      // A cursor of an earlier day or version that the platform no longer takes.
      if (!isResumable(start) || !isDomainError(error, 'INVALID_REQUEST')) throw error;
      logger.warn({ challengeId }, 'a saved cursor is no longer taken; the sweep starts anew');
      const anew = startOf(challengeId, null, now);
      await comments.saveSweep(anew);
      return toResult(await walk(found.challenge, anew, purpose), absenceTolerance);
    }
  }

  async function walk(challenge: Challenge, start: SweepProgress, purpose: Purpose): Promise<EndedSweep> {
    const { forVerdict, caller } = purpose;
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
      askTotal: () => askTotal(platform, challenge, caller),
      limits: { ...DEFAULT_LIMITS, ...deps.limits },
      clock,
      logger,
      signal: stopping.signal,
      caller,
      heartbeatMs: takeOverAfterMs / 3,
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
      stopping.signal.throwIfAborted();
      if (isDomainError(error)) {
        await saveBroken((await comments.sweep(challenge.id)) ?? start);
      }
      throw error;
    }
  }

  /** What the post itself says, which comes from elsewhere than the list of its comments. */
  async function askTotal(platform: Platform, challenge: Challenge, caller: string): Promise<number | null> {
    try {
      const { stats } = await platform.getPost(challenge, { signal: stopping.signal, caller });
      return stats.comments;
    } catch (error) {
      stopping.signal.throwIfAborted();
      if (!isPlatformFailure(error)) throw error;
      logger.info({ challengeId: challenge.id, code: error.code }, 'the number of comments is not known');
      return null;
    }
  }

  async function saveBroken(last: SweepProgress): Promise<void> {
    await comments.saveSweep({ ...last, status: isResumable(last) ? 'partial' : 'failed', updatedAt: clock.now() });
  }

  /** Waits for a sweep as long as the options allow; null when the deadline came first. */
  async function patiently<T>(result: Promise<T>, challengeId: number, options: SweepOptions): Promise<T | null> {
    const { signal, deadline } = options;
    const limit = Promise.withResolvers<null>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (deadline !== undefined) {
      const wait = Math.min(Math.max(deadline.getTime() - clock.now().getTime(), 0), LONGEST_TIMER_MS);
      timer = setTimeout(() => limit.resolve(null), wait);
    }
    const abort = () => limit.reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      return await Promise.race([result, limit.promise]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted) logger.debug({ challengeId }, 'nobody waits for the sweep any more; it goes on');
    }
  }

  return {
    sweep,
    async takeOver({ challengeId }) {
      const progress = await comments.sweep(challengeId);
      if (progress?.status !== 'running') return;
      const deadAt = new Date(progress.updatedAt.getTime() + takeOverAfterMs);
      const alive = underWay.has(challengeId) || deadAt > clock.now();
      if (alive)
        throw new RescheduleError(
          new Date(Math.max(deadAt.getTime(), clock.now().getTime() + 1_000)),
          'sweep under way',
        );
      logger.info({ challengeId }, 'taking over a sweep whose process died');
      await sweep(challengeId);
    },
    async abandon({ challengeId }, { error }) {
      const progress = await comments.sweep(challengeId);
      if (progress?.status !== 'running' || underWay.has(challengeId)) return;
      await saveBroken(progress);
      logger.error({ challengeId, error }, 'a sweep broke down and is not taken over any more');
    },
    async close() {
      stopping.abort(new DomainError('SERVICE_UNAVAILABLE', 'The service is stopping; ask again in a moment.'));
      await Promise.allSettled([...underWay.values()].map(({ result }) => result));
    },
  };
}

function toResult(progress: EndedSweep, tolerance: AbsenceTolerance): SweepResult {
  const { totalFetched, status, historyComplete, expectedTotal } = progress;
  return { totalFetched, sweepStatus: status, historyComplete, expectedTotal, warning: warningOf(progress, tolerance) };
}

function soFar(progress: SweepProgress | null, tolerance: AbsenceTolerance): SweepResult {
  const nothing = {
    totalFetched: 0,
    unreadReplies: 0,
    skipped: 0,
    expectedTotal: null,
    historyComplete: false,
    confirmed: false,
  };
  const { totalFetched, expectedTotal } = progress ?? nothing;
  const warning = warningOf({ ...nothing, ...progress, status: 'partial' }, tolerance);
  return { totalFetched, sweepStatus: 'partial', historyComplete: false, expectedTotal, warning };
}

function warningOf(sweep: SweepCoverage & Pick<EndedSweep, 'status'>, tolerance: AbsenceTolerance): string | null {
  const proof = commentsAbsence(sweep, tolerance);
  if (sweep.status === 'partial') {
    const detail = proof.isProven || sweep.expectedTotal === null ? '' : `: ${proof.why}`;
    return `The last page was not reached${detail}; refresh again to go on.`;
  }
  return proof.isProven ? null : `The comments may not be all there are: ${proof.why}.`;
}
