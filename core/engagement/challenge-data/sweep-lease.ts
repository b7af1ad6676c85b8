/** Which process sweeps a post: one at a time does, and serves those that wait in other processes. */
import { untilAborted } from '../../until-aborted.ts';
import { requireChallenge } from '../campaigns/find-campaign.ts';
import type { SweepProgress } from './comment.ts';
import type { SweepDeps, SweepOutcome } from './sweep-deps.ts';
import { startOf } from './sweep-progress.ts';

/** How often a process looks whether the sweep of another one has ended. */
const LOOK_EVERY_MS = 250;

/**
 * Begins a sweep of a challenge's comments, or waits for the one that another process has under way. One that failed serves
 * nobody: then this process tries itself. So it does if the other process died. Returns from where this process sweeps, or the outcome
 * of the other sweep.
 * @throws DomainError `NOT_FOUND`, and the signal's reason
 */
export async function takeSweepLease(deps: SweepDeps, challengeId: number) {
  const { comments, clock, signal } = deps;
  for (let followed: number | null = null; ; ) {
    const now = clock.now();
    const last = await comments.sweep(challengeId);
    const outcome = followed === null ? null : outcomeOf(last, followed);
    if (outcome !== null) return { outcome };
    if (isAlive(deps, last, now)) {
      followed ??= last.lease;
      const pause = new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      await untilAborted(pause, signal);
      continue;
    }
    const start = startOf(challengeId, last, now);
    // Side by side: a storage that writes what comes together in one go writes both at once.
    const [hasBegun] = await Promise.all([comments.beginSweep(start, last), planTakeOver(deps, challengeId, now)]);
    if (hasBegun) return { start };
    // Another process was quicker, or the challenge is gone.
    await requireChallenge(deps, challengeId);
    signal.throwIfAborted();
  }
}

function isAlive({ takeOverAfterMs }: SweepDeps, progress: SweepProgress | null, now: Date): progress is SweepProgress {
  // A sign of life from far ahead is one of a clock that was set back since.
  return progress?.status === 'running' && Math.abs(now.getTime() - progress.updatedAt.getTime()) < takeOverAfterMs;
}

/** What the sweep with this lease, or a later one, has reached; null if none has ended so that it serves. */
function outcomeOf(progress: SweepProgress | null, lease: number): SweepOutcome | null {
  if (progress === null) return null;
  const { status, lastSwept } = progress;
  if (status === 'swept' || status === 'partial') return { ...progress, status };
  return lastSwept !== null && lastSwept.lease >= lease ? { ...lastSwept, status: 'swept' } : null;
}

async function planTakeOver({ queue, takeOverAfterMs }: SweepDeps, challengeId: number, now: Date): Promise<void> {
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
