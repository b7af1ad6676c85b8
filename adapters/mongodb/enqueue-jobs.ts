/**
 * Enqueues jobs. Those that their caller can run right away are stored under its lease, so that no claim has to look for them. If
 * that process dies, they are taken up after the lease like any others.
 */
import type { Db } from 'mongodb';
import type { JobType, NewJob } from '../../core/ports/job-queue.ts';
import type { ClaimAtOnce, ClaimedJob } from '../../core/ports/job-store.ts';
import { reserveIds } from './counters.ts';
import type { JobDocument } from './documents.ts';
import { dueJobs } from './due-jobs.ts';
import { insertMissing } from './insert-missing.ts';
import { giveTurns, groupIdOf, turnOf, waitingGroups } from './job-groups.ts';
import { fromJson, instant, text } from './values.ts';

/** As `JobStore.enqueue`. */
export async function enqueueJobs(
  db: Db,
  jobs: readonly NewJob[],
  now: Date,
  claim: ClaimAtOnce | undefined,
): Promise<ClaimedJob[]> {
  if (jobs.length === 0) return [];
  const queued = jobs.map((job) => queuedJob(job, now));
  const [firstId, lease] = await Promise.all([
    reserveIds(db, 'jobs', jobs.length),
    claim === undefined ? undefined : leasesFor(db, queued, now, claim),
  ]);
  const documents = queued.map((job, index): JobDocument => ({ _id: firstId + index, ...(lease?.(job) ?? job) }));
  const inserted = await insertMissing(db, 'jobs', documents, ['slot']);
  const isClaimed = ({ _id, status }: JobDocument) => status === 'running' && inserted.has(_id);
  // Also for jobs that were there: an earlier call may have ended before their groups got a turn.
  await giveTurns(db, documents.filter((job) => !isClaimed(job)).flatMap(turnOf));
  return documents.filter(isClaimed).map(toClaimed);
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

/** Puts jobs under a lease: no more than wanted, each key once, and none before a job of its type or group that waits already. */
async function leasesFor(
  db: Db,
  jobs: readonly QueuedJob[],
  now: Date,
  { limits, leaseUntil }: ClaimAtOnce,
): Promise<(job: QueuedJob) => QueuedJob> {
  const mayRun = ({ type, runAt }: QueuedJob) => runAt <= now && (limits.get(type) ?? 0) > 0;
  const wanted = jobs.filter(mayRun);
  const types = [...new Set(wanted.map(({ type }) => type))];
  const [areDue, waiting] = await Promise.all([
    Promise.all(types.map((type) => isAnyDue(db, type, now))),
    waitingGroups(db, wanted.flatMap(turnOf)),
  ]);
  const left = new Map(types.flatMap((type, at) => (areDue[at] === true ? [] : [[type, limits.get(type) ?? 0]])));
  const keys = new Set<string>();
  return (job) => {
    const free = left.get(job.type) ?? 0;
    const isBehind = turnOf(job).some((turn) => waiting.has(groupIdOf(turn)));
    if (free <= 0 || job.runAt > now || isBehind || keys.has(job.key)) return job;
    left.set(job.type, free - 1);
    keys.add(job.key);
    return { ...job, status: 'running', dueAt: instant(leaseUntil), run: 1, lease: 1 };
  };
}

async function isAnyDue(db: Db, type: JobType, now: Date): Promise<boolean> {
  const { jobs, groups } = await dueJobs(db, [type], { jobs: 1, groups: 1 }, now);
  return jobs.length + groups.length > 0;
}
