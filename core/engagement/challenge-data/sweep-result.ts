/** What a sweep answers (docs/specification/engagement.md#comments-refresh-result). */
import { type AbsenceTolerance, commentsAbsence, type SweepCoverage } from '../attempts/absence.ts';
import type { SweepProgress, SweepStatus } from './comment.ts';
import type { EndedSweep, SweepOutcome } from './walk-deps.ts';

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

/** What a sweep under way has read until now. */
export function soFar(progress: SweepProgress | null, tolerance: AbsenceTolerance): SweepResult {
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
    return `The last page was not reached${detail}; refresh again to continue.`;
  }
  return proof.isProven ? null : `The comments may not be all there are: ${proof.why}.`;
}
