import type { JobFilter, JobQueueStats, JobRecord, JobType, NewJob } from './job-queue.ts';
import type { Page, PageRequest } from './paging.ts';

/** A job under a lease. */
export interface ClaimedJob {
  readonly id: number;
  readonly type: JobType;
  readonly key: string;
  readonly payload: unknown;
  /** How often it was claimed, this time included, without the runs that were given back. */
  readonly run: number;
  /** The fence: grows with every claim; a write with an older one changes nothing. */
  readonly lease: number;
  readonly leaseUntil: Date;
  /** When it was enqueued. */
  readonly createdAt: Date;
}

/** Leased jobs: the storage half of the default `JobQueue`. All writes about a claimed job check its fence. */
export interface JobStore {
  /** Inserts jobs whose key is not queued or running; idempotent and safe against concurrent calls. */
  enqueue(jobs: readonly NewJob[], now: Date): Promise<void>;
  /**
   * Claims up to `limit` due jobs of these types until `leaseUntil`: queued ones whose `runAt` has come, and running ones
   * whose lease has run out. Oldest `runAt` first. A job goes to exactly one of concurrent callers, who may get fewer jobs than
   * are due.
   */
  claim(types: readonly JobType[], limit: number, now: Date, leaseUntil: Date): Promise<readonly ClaimedJob[]>;
  /** Lengthens leases; returns the ids whose fence still held. */
  extend(jobs: readonly ClaimedJob[], leaseUntil: Date): Promise<readonly number[]>;
  /** Removes a finished job if the fence holds; false when the lease was lost. */
  complete(job: ClaimedJob): Promise<boolean>;
  /** Queues the job again for `runAt`, if the fence holds. `countRun: false` gives the run back (a clean release). */
  release(job: ClaimedJob, runAt: Date, error: string | null, countRun: boolean): Promise<boolean>;
  /** Dead-letters the job, if the fence holds; its key becomes free. */
  deadLetter(job: ClaimedJob, error: string, now: Date): Promise<boolean>;
  /**
   * Removes the queued or running job with this key, also when another process holds its lease; dead ones stay. False when there is none. For
   * queues that run jobs elsewhere and keep a copy here; see `adapters/bullmq-jobs`.
   */
  remove(key: string): Promise<boolean>;
  /**
   * Corrects what was stored before the clock was set back. Leases end by `leaseUntil`. Queued jobs that wait for a later time wait
   * `byMs` less. Those that were enqueued more than a minute after `now` wait less by that much at least.
   */
  afterSetBack?(now: Date, leaseUntil: Date, byMs: number): Promise<void>;
  /** The earliest time at which a job of these types becomes claimable; null when there is none. */
  nextDue(types: readonly JobType[]): Promise<Date | null>;
  /** As `JobBoard.list`. One whose lease has run out waits. */
  list(filter: JobFilter, page: PageRequest, now: Date): Promise<Page<JobRecord>>;
  /** Removes dead jobs; returns how many there were. */
  removeDead(ids: readonly number[]): Promise<number>;
  /** A job whose lease has run out counts as queued: anyone may claim it. */
  stats(now: Date): Promise<JobQueueStats>;
}
