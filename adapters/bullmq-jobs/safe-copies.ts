/**
 * Copies of unfinished jobs in the storage. So a Redis that lost its data (flushed, restarted without persistence, failed
 * over to a replica that was behind) costs time and no job. A copy is a job record that becomes due long after the
 * job itself. What is still in Redis then is recognised by its key and added no second time.
 */
import type { Clock } from '../../core/ports/clock.ts';
import { JOB_TYPES, type NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimedJob, JobStore } from '../../core/ports/job-store.ts';
import type { Queues } from './queues.ts';

export type SafeCopies = ReturnType<typeof createSafeCopies>;

const BATCH = 100;

export function createSafeCopies(deps: {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly recoverAfterMs: number;
}) {
  const { store, clock, recoverAfterMs } = deps;
  const afterwards = (from: Date) => new Date(from.getTime() + recoverAfterMs);

  return {
    /** Before the jobs go to Redis. */
    async keep(jobs: readonly NewJob[]): Promise<void> {
      const now = clock.now();
      await store.enqueue(
        jobs.map(({ type, key, payload, runAt = now }) => ({ type, key, payload, runAt: afterwards(runAt) })),
        now,
      );
    },
    /** After a job's last run, and before Redis forgets it: a crash in between runs it once more. */
    drop: (key: string) => store.remove(key),
    /**
     * Puts back the jobs whose copies are due and which the queue does not have; concurrent processes get different ones. What
     * the queue has is compared again when it is overdue. Ends after a batch when `goesOn` says no.
     */
    async recover(queue: Pick<Queues, 'add' | 'dueTimes'>, goesOn: () => boolean): Promise<void> {
      while (goesOn()) {
        const now = clock.now();
        // The lease ends by itself when this process dies or Redis refuses: the copy is then due again.
        const due = await store.claim(JOB_TYPES, BATCH, now, afterwards(now));
        const jobs = due.map(toNewJob);
        await queue.add(jobs);
        const times = await queue.dueTimes(jobs);
        for (const copy of due) await store.release(copy, afterwards(times.get(copy.key) ?? now), null, false);
        if (due.length < BATCH) return;
      }
    },
  };
}

function toNewJob({ type, key, payload }: ClaimedJob): NewJob {
  // Sound because the record was made from a job of this type.
  return { type, key, payload: payload as NewJob['payload'] };
}
