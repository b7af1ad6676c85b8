/** Refreshing the stored comments of a challenge (docs/specification/engagement.md#comments-refresh-result). */
import { DomainError } from '../../errors.ts';
import { type JobFailure, type JobPayloads, RescheduleError } from '../../ports/job-queue.ts';
import { untilAborted } from '../../until-aborted.ts';
import { type AbsenceTolerance, commentsAbsence, DEFAULT_ABSENCE_TOLERANCE } from '../attempts/absence.ts';
import type { SweepCoverage, SweepProgress, SweepStatus } from './comment.ts';
import { saveBroken, sweepOnce } from './one-sweep.ts';
import type { EndedSweep, SweepDeps, SweepOutcome } from './sweep-deps.ts';

type Defaults = Pick<SweepDeps, 'takeOverAfterMs' | 'absenceTolerance'>;

/** By default a sweep is taken over after 60 seconds, and may lack `DEFAULT_ABSENCE_TOLERANCE`. */
export type SweepCommentsDeps = Omit<SweepDeps, keyof Defaults | 'signal'> & Partial<Defaults>;

/** How long to wait for a sweep, and which one is good enough. */
export interface SweepOptions {
  /** Gives up waiting, with the signal's reason; the sweep itself continues. */
  readonly signal?: AbortSignal;
  /** A sweep under way that began before this time is not enough: another one follows it. */
  readonly freshSince?: Date;
  /** A sweep that began before this time, and stands still at what cannot be read, starts again next time; any by default. */
  readonly restartBefore?: Date;
  /** Whose share of the platform's rate is used by a sweep that this call begins; the brand's by default. */
  readonly caller?: string;
}

/** Reads the comments of challenges into the storage. */
export interface CommentSweeper {
  /**
   * Sweeps the comments of a challenge into storage. Of calls at the same time, also in different processes, all wait for
   * one sweep. A sweep that stopped halfway within the last day is continued, after a look at the newest comments. One that
   * was complete starts again. So does one that stood still at what cannot be read: for half an hour, or twice if nobody can
   * understand it. The sweep of a process that was killed is waited for until `takeOverAfterMs` have passed.
   *
   * @throws DomainError `NOT_FOUND` when there is no such challenge, or it is deleted meanwhile; the platform's refusal when nothing could be read;
   * `SERVICE_UNAVAILABLE` once closed.
   */
  sweep(challengeId: number, options?: SweepOptions): Promise<SweepResult>;
  /** Handles a `sweep-comments` job: takes over a sweep whose process is gone, leaves a living or finished one alone. */
  takeOver(payload: JobPayloads['sweep-comments']): Promise<void>;
  /** The `onDeadLetter` of that job: a sweep that nobody could take over is not said to be running any more. */
  abandon(payload: JobPayloads['sweep-comments'], failure: JobFailure): Promise<void>;
  /** Stops the sweeps under way; their progress stays, for the next sweep or another process to continue from. */
  close(): Promise<void>;
}

interface SweepUnderWay {
  /** Nothing was read before. */
  readonly begunAt: Date;
  readonly ended: Promise<{ readonly outcome: SweepOutcome; readonly result: SweepResult }>;
}

const isUnfinished = ({ status }: SweepProgress) => status === 'running' || status === 'stopped';

export function createCommentSweeper(deps: SweepCommentsDeps): CommentSweeper {
  const { comments, clock, logger, takeOverAfterMs = 60_000, absenceTolerance = DEFAULT_ABSENCE_TOLERANCE } = deps;
  const underWay = new Map<number, SweepUnderWay>();
  const stopping = new AbortController();
  const run = sweepOnce({ ...deps, takeOverAfterMs, absenceTolerance, signal: stopping.signal });

  async function sweep(challengeId: number, options: SweepOptions = {}): Promise<SweepResult> {
    // What begins after the call is fresh enough, whatever the clock of another process said.
    const called = clock.now();
    const { freshSince } = options;
    const earliest = freshSince === undefined || called < freshSince ? called : freshSince;
    const isFresh = (begunAt: Date) => freshSince === undefined || begunAt >= earliest;
    for (;;) {
      stopping.signal.throwIfAborted();
      options.signal?.throwIfAborted();
      const current = underWay.get(challengeId) ?? begin(challengeId, options);
      // The failure of a sweep that would not be enough is no answer.
      const ended = isFresh(current.begunAt) ? current.ended : current.ended.catch(() => undefined);
      const over = await (options.signal === undefined ? ended : untilAborted(ended, options.signal));
      if (over !== undefined && isFresh(over.outcome.leasedAt)) return over.result;
    }
  }

  function begin(challengeId: number, { freshSince, restartBefore, caller }: SweepOptions): SweepUnderWay {
    const begunAt = clock.now();
    const ended = run({ challengeId, forVerdict: freshSince !== undefined, restartBefore, caller })
      .then((outcome) => ({ outcome, result: toResult(outcome, absenceTolerance) }))
      .finally(() => underWay.delete(challengeId));
    // Callers that wait get the error. If none does, it must not end the process.
    ended.catch((error: unknown) => logger.info({ challengeId, err: error }, 'sweep failed'));
    const started = { begunAt, ended };
    underWay.set(challengeId, started);
    return started;
  }

  return {
    sweep,
    async takeOver({ challengeId }) {
      const progress = await comments.sweep(challengeId);
      if (progress === null || !isUnfinished(progress)) return;
      const silentMs = progress.status === 'stopped' ? 0 : takeOverAfterMs;
      const now = clock.now().getTime();
      // A sign of life from far ahead is one of a clock that was set back since.
      const leftMs = silentMs - Math.abs(now - progress.updatedAt.getTime());
      const alive = underWay.has(challengeId) || leftMs > 0;
      if (alive) throw new RescheduleError(new Date(now + Math.max(leftMs, 1_000)), 'sweep under way');
      logger.info({ challengeId }, 'taking over a sweep whose process is gone');
      await sweep(challengeId);
    },
    async abandon({ challengeId }, { error }) {
      const progress = await comments.sweep(challengeId);
      if (progress === null || !isUnfinished(progress) || underWay.has(challengeId)) return;
      await saveBroken(deps, progress);
      logger.error({ challengeId, error }, 'a sweep broke down and is not taken over any more');
    },
    async close() {
      stopping.abort(new DomainError('SERVICE_UNAVAILABLE', 'The service is stopping; ask again in a moment.'));
      await Promise.allSettled([...underWay.values()].map(({ ended }) => ended));
    },
  };
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

export function toResult(progress: SweepOutcome, tolerance: AbsenceTolerance): SweepResult {
  const { totalFetched, status, historyComplete, expectedTotal } = progress;
  return { totalFetched, sweepStatus: status, historyComplete, expectedTotal, warning: warningOf(progress, tolerance) };
}

function warningOf(sweep: SweepCoverage & Pick<EndedSweep, 'status'>, tolerance: AbsenceTolerance): string | null {
  const proof = commentsAbsence(sweep, tolerance);
  if (sweep.status === 'partial') {
    const detail = proof.isProven || sweep.expectedTotal === null ? '' : `: ${proof.why}`;
    return `The last page was not reached${detail}; refresh again to continue.`;
  }
  return proof.isProven ? null : `The comments may not be all there are: ${proof.why}.`;
}
