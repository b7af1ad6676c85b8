/** Jobs as they are enqueued, and as their claims hand them out. */
import type { Db } from 'mongodb';
import type { NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimedJob } from '../../core/ports/job-store.ts';
import { reserveIds } from './counters.ts';
import type { JobDocument } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { giveTurns, turnOf } from './job-groups.ts';
import { fromJson, instant, text } from './values.ts';

/** As `JobStore.enqueue`. All jobs are left to a claim. */
export async function enqueueJobs(db: Db, jobs: readonly NewJob[], now: Date): Promise<void> {
  if (jobs.length === 0) return;
  const queued = jobs.map((job) => queuedJob(job, now));
  const firstId = await reserveIds(db, 'jobs', jobs.length);
  const documents = queued.map((job, index): JobDocument => ({ _id: firstId + index, ...job }));
  await insertMissing(db, 'jobs', documents, ['slot']);
  // Also for jobs that were there: an earlier call may have ended before their groups got a turn.
  await giveTurns(db, documents.flatMap(turnOf), now);
}

export function toClaimed(job: JobDocument): ClaimedJob {
  return {
    id: job._id,
    type: job.type,
    key: job.key,
    payload: fromJson<unknown>(job.payload),
    group: job.group ?? null,
    run: job.run,
    lease: job.lease,
    leaseUntil: job.dueAt,
    createdAt: job.createdAt,
  };
}

type QueuedJob = Omit<JobDocument, '_id'>;

function queuedJob(job: NewJob, now: Date): QueuedJob {
  const runAt = instant(job.runAt ?? now);
  return {
    type: job.type,
    key: text(job.key),
    slot: `live:${job.key}`,
    payload: JSON.stringify(job.payload),
    group: job.group === undefined ? null : text(job.group),
    status: 'queued',
    live: true,
    runAt,
    dueAt: runAt,
    run: 0,
    lease: 0,
    error: null,
    createdAt: now,
    finishedAt: null,
  };
}
