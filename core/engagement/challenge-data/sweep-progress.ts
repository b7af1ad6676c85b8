/** Where a sweep begins. */
import type { SweepProgress, SweptReading } from './comment.ts';

/** Older progress is not gone on from: too much may have changed above it. */
const RESUMABLE_FOR_MS = 24 * 60 * 60 * 1_000;

/** True when a sweep stopped somewhere it can continue from. */
export function isResumable({ cursor, pendingReplies }: SweepProgress): boolean {
  return cursor !== null || pendingReplies.length > 0;
}

/** The last reading that reached the end. While another sweep runs, what the one before saw still counts. */
export function lastReading(sweep: SweepProgress | null): SweepProgress | SweptReading | null {
  return sweep?.status === 'swept' ? sweep : (sweep?.lastSwept ?? null);
}

/** Where a sweep begins: where the last one stopped, or at the top. */
export function startOf(challengeId: number, last: SweepProgress | null, now: Date): SweepProgress {
  const fresh: SweepProgress = {
    challengeId,
    cursor: null,
    pendingReplies: [],
    pagesRead: 0,
    totalFetched: 0,
    status: 'running',
    historyComplete: false,
    expectedTotal: null,
    unreadReplies: 0,
    skipped: 0,
    unnumbered: 0,
    unnamed: 0,
    confirmed: false,
    isWhole: true,
    refusedSince: null,
    lease: (last?.lease ?? 0) + 1,
    leasedAt: now,
    lastSwept: last === null ? null : sweptBy(last),
    startedAt: now,
    updatedAt: now,
  };
  if (last === null || !isResumable(last) || now.getTime() - last.updatedAt.getTime() > RESUMABLE_FOR_MS) return fresh;
  // A sweep that was cut off keeps its count of pages; one that used its pages up gets new ones.
  const wasCutOff = last.status === 'running' || last.status === 'stopped';
  const pagesRead = wasCutOff || last.cursor === null ? last.pagesRead : 0;
  const { lease, leasedAt, lastSwept } = fresh;
  // One that was cut off may have come further since it was refused.
  const refusedSince = wasCutOff ? null : last.refusedSince;
  const going = { status: 'running', historyComplete: false, confirmed: false, updatedAt: now } as const;
  return { ...last, ...going, pagesRead, refusedSince, lease, leasedAt, lastSwept };
}

/** What the last sweep that reached the end has seen; null if none has. */
function sweptBy(last: SweepProgress): SweptReading | null {
  if (last.status !== 'swept') return last.lastSwept;
  const { challengeId, cursor, pendingReplies, pagesRead, status, refusedSince, lastSwept, ...seen } = last;
  return { unnumbered: null, unnamed: 0, isWhole: false, ...seen };
}
