/**
 * Whether a reading of a post proves that somebody is missing from it. A comment that was read is there; a comment that was
 * not read may still exist, since lists end silently. So absence needs as much read as the platform says there is.
 */
import type { LikersFetch, SweepCoverage, SweepProgress, SweptReading } from '../challenge-data/comment.ts';
import { lastReading } from '../challenge-data/sweep-progress.ts';

/** How many comments may be missing from a reading because they were deleted or hidden and are still counted. */
export interface AbsenceTolerance {
  /** This many may always be missing. */
  readonly count: number;
  /** Or this share of the platform's total, from 0 to 1, if that is more. */
  readonly share: number;
}

/**
 * Platforms keep counting deleted and hidden comments for a while: of six counted replies, three may exist. Three missing ones
 * are therefore ordinary on a short list, and two in a hundred on a long one. A list that ends early lacks whole pages.
 */
export const DEFAULT_ABSENCE_TOLERANCE: AbsenceTolerance = { count: 3, share: 0.02 };
export const NO_TOLERANCE: AbsenceTolerance = { count: 0, share: 0 };

/** Proven, or why not: a short text for the attempt's history and for warnings. */
export type AbsenceProof = { readonly isProven: true } | { readonly isProven: false; readonly why: string };

const PROVEN: AbsenceProof = { isProven: true };
const unproven = (why: string): AbsenceProof => ({ isProven: false, why });

/** By what the links of a creator are looked for: each by number if it is known, else by handle. */
export interface LookedFor {
  readonly byNumber: boolean;
  readonly byHandle: boolean;
}

const BY_HANDLE: LookedFor = { byNumber: false, byHandle: true };

/**
 * Judges if a sweep that reached the end proves that a missing author did not comment. It must have read enough, or another way
 * of reading must confirm it. A single unreadable comment leaves absence unproven, since it may be anybody's. So does, for a number
 * that is known, a single comment without a number, and for a handle one without a handle. While threads of
 * replies are out of reach, no comment may be missing. Whatever the tolerance, at least half of the comments must be read: an
 * empty list proves nothing about a post that has comments. A total far below the count read is no total: hidden totals show as 0 or 3.
 * A list that is whole by contract needs no total, but half of what storage knows (`SweepProgress.expectedTotal`), or without any
 * tolerance all of it.
 */
export function commentsAbsence(
  sweep: SweepCoverage,
  tolerance: AbsenceTolerance = DEFAULT_ABSENCE_TOLERANCE,
  { byNumber, byHandle }: LookedFor = BY_HANDLE,
): AbsenceProof {
  const { totalFetched, unreadReplies, expectedTotal, historyComplete, confirmed, isWhole, unnumbered = null } = sweep;
  const skipped = sweep.skipped - (byHandle ? 0 : (sweep.unnamed ?? 0));
  if (skipped > 0) return unproven(`${counted(skipped, 'comment')} could not be read`);
  if (byNumber && unnumbered !== 0) {
    const some = unnumbered === null ? 'the comments' : counted(unnumbered, 'comment');
    return unproven(`the account's number is known, and ${some} came without numbers`);
  }
  const seen = totalFetched + unreadReplies;
  const mayLackKnown = tolerance.count + tolerance.share > 0 ? seen : 0;
  if (confirmed || (isWhole && historyComplete && (expectedTotal ?? 0) - seen <= mayLackKnown)) return PROVEN;
  if (expectedTotal === null) return unproven('the platform does not say how many comments there are');
  const mayLack = historyComplete ? tolerated(expectedTotal, tolerance) : 0;
  const addsUp = (read: number) => expectedTotal - read <= mayLack && !isContradicted(expectedTotal, read, tolerance);
  // Not every total counts the replies.
  if (addsUp(seen) || addsUp(totalFetched)) return PROVEN;
  if (seen <= expectedTotal) return unproven(`only ${seen} of ${counted(expectedTotal, 'comment')} could be read`);
  return unproven(`the platform counts ${counted(expectedTotal, 'comment')} and shows ${seen}`);
}

/**
 * Whether a fetch of likers has seen everybody. A platform that shows 100 of 50,000 likers says nothing about the others, nor
 * does one that shows many more than it counts. `isUnclear`: a handle is looked for, and some likers show their number only.
 */
export function likersAbsence(
  { fetchedCount, totalLikes }: Pick<LikersFetch, 'fetchedCount' | 'totalLikes'>,
  isUnclear = false,
): AbsenceProof {
  if (isUnclear) return unproven('some likers are shown by number only');
  if (totalLikes === null) return unproven('the platform does not say how many likes there are');
  if (isContradicted(totalLikes, fetchedCount, DEFAULT_ABSENCE_TOLERANCE)) {
    return unproven(`the platform counts ${counted(totalLikes, 'like')} and shows ${counted(fetchedCount, 'liker')}`);
  }
  if (fetchedCount >= totalLikes) return PROVEN;
  return unproven(`only ${fetchedCount} of ${counted(totalLikes, 'liker')} could be seen`);
}

/** A platform may lack comments for an hour. Posts of connected accounts are listed every six hours, so this spans two lists at least. */
export const GONE_AFTER_MS = 12 * 60 * 60 * 1_000;

/** What proves that a comment is gone: it was not met since a time, and each of the readings proves absence with this tolerance. */
export interface ProofOfLoss {
  readonly since: Date;
  readonly readings: readonly SweptReading[];
  readonly tolerance: AbsenceTolerance;
}

/** A reading that adds up to the last comment is believed at once. Others prove nothing alone: the last two, hours apart, do. */
export function proofsOfLoss(sweep: SweepProgress | null, tolerance: AbsenceTolerance): readonly ProofOfLoss[] {
  const reading = lastReading(sweep);
  if (sweep === null || reading === null) return [];
  // Another way to read lacks the same while comments are switched off.
  const alone = { since: reading.startedAt, readings: [{ ...reading, confirmed: false }], tolerance: NO_TOLERANCE };
  if (reading !== sweep || sweep.lastSwept === null) return [alone];
  return [alone, { since: expectedSince(sweep), readings: [sweep, sweep.lastSwept], tolerance }];
}

/** What was met since this time is expected in a sweep. What was not is missing from two readings in a row, and for hours. */
export function expectedSince({ startedAt, lastSwept }: Pick<SweepProgress, 'startedAt' | 'lastSwept'>): Date {
  const hoursAgo = startedAt.getTime() - GONE_AFTER_MS;
  return new Date(Math.min(lastSwept?.startedAt.getTime() ?? hoursAgo, hoursAgo));
}

/** Whether more was read than a total can lag behind by. */
function isContradicted(total: number, read: number, tolerance: AbsenceTolerance): boolean {
  return read - total > Math.max(1, tolerated(read, tolerance)) || (total === 0 && read > 0);
}

/** Whether a reading shows so few of those whom storage knows that it may not have seen them: comments can be switched off for an hour. */
export function showsTooFew(seen: number, known: number, { count }: AbsenceTolerance): boolean {
  return known - seen > Math.max(count, known / 2);
}

/** How many of the counted comments a reading may lack. */
export function tolerated(expectedTotal: number, { count, share }: AbsenceTolerance): number {
  return Math.min(Math.floor(expectedTotal / 2), Math.max(count, Math.floor(expectedTotal * share)));
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
