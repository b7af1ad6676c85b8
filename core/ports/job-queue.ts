import type { Page, PageRequest } from './paging.ts';

/** What a job of each kind is given. */
export interface JobPayloads {
  'verify-attempt': { readonly attemptId: number };
  'issue-reward': { readonly attemptId: number };
  'check-engagement': { readonly attemptId: number };
  'sweep-comments': { readonly challengeId: number };
  'settle-comments': { readonly challengeId: number };
  'refresh-metrics': { readonly challengeId: number };
  'fetch-likers': { readonly challengeId: number; readonly fetchId: number };
  'read-canary': { readonly target: string };
}

/** The names of the kinds of work. */
export type JobType = keyof JobPayloads;

/** Every kind. */
export const JOB_TYPES = [
  'verify-attempt',
  'issue-reward',
  'check-engagement',
  'sweep-comments',
  'settle-comments',
  'refresh-metrics',
  'fetch-likers',
  'read-canary',
] as const satisfies readonly JobType[];

/** A job to enqueue. */
export interface NewJob<T extends JobType = JobType> {
  readonly type: T;
  /** While a job with this key is queued or running, enqueueing it again does nothing. */
  readonly key: string;
  readonly payload: JobPayloads[T];
  /** Not before this time; now by default. */
  readonly runAt?: Date;
}

/** What a run of a job is given besides its payload. */
export interface JobContext {
  /** 1 on the first run. */
  readonly run: number;
  /** Aborted when the queue stops or the lease is lost: stop and throw. */
  readonly signal: AbortSignal;
}

/** The clocks of processes differ by less. What is stored as later than that was stored by a clock that was set back since. */
export const CLOCKS_DIFFER_MS = 60_000;

/**
 * Thrown by a handler to run again at a time of its own choosing; anything else thrown is retried with backoff. A
 * `SERVICE_UNAVAILABLE` (the storage or the service itself is away) does not count as a run for a week after the job was
 * enqueued. An outage uses no job up.
 */
export class RescheduleError extends Error {
  override readonly name: string = 'RescheduleError';
  readonly at: Date;

  constructor(at: Date, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** Runs a job once. Idempotent: it may run again. */
export type JobRun<T extends JobType = JobType> = (payload: JobPayloads[T], context: JobContext) => Promise<void>;

/** Why a job is given up. */
export interface JobFailure {
  /** What the last run failed with, or that it was never seen to end. Bounded; for logs and operators, not for callers. */
  readonly error: string;
  readonly signal: AbortSignal;
}

/** How jobs of a kind are run, and what is concluded if they cannot be. */
export interface JobHandler<T extends JobType = JobType> {
  readonly run: JobRun<T>;
  /**
   * Concludes what waits for a job that will not run again: its last run failed, or its process died in every one of them.
   * Called before the job is dead-lettered, by the process that does it, at least once: idempotent. If it throws it is called
   * again with backoff, at most as often as the job may run. Then the job is dead-lettered all the same. While it throws
   * `SERVICE_UNAVAILABLE` the job stays.
   */
  readonly onDeadLetter: (payload: JobPayloads[T], failure: JobFailure) => Promise<void>;
}

/** A plain function is a handler with nothing to conclude. */
export type JobHandlers = {
  readonly [T in JobType]?: JobRun<T> | JobHandler<T>;
};

/** How many jobs there are. `dead` were set aside for good. */
export interface JobQueueStats {
  readonly queued: number;
  readonly running: number;
  readonly dead: number;
}

/** `waiting` for its time or for a process, `running`, or dead-lettered. */
export const JOB_STATES = ['waiting', 'running', 'dead'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Which jobs are listed. */
export interface JobFilter {
  readonly state: JobState;
  readonly type?: JobType | undefined;
  readonly id?: number | undefined;
}

/** A job as operators see it. */
export interface JobRecord {
  readonly id: number;
  readonly type: JobType;
  readonly key: string;
  readonly payload: unknown;
  readonly runs: number;
  /** What the last run that failed said; null if none did. */
  readonly error: string | null;
  /** While it waits, the earliest time of its next run; while it runs, the end of its lease. */
  readonly dueAt: Date;
  readonly createdAt: Date;
  /** When it was dead-lettered. */
  readonly finishedAt: Date | null;
}

/** Of those who look after the queue. */
export interface JobBoard {
  /** Dead ones newest first, the others by when they are due. */
  list(filter: JobFilter, page: PageRequest): Promise<Page<JobRecord>>;
  /**
   * Enqueues the work of dead jobs again, as new jobs, and removes the dead ones; some hundred at a time. Work that waits or runs
   * again already stays as it is. Returns how many dead jobs it removed.
   */
  retry(dead: Omit<JobFilter, 'state'>): Promise<number>;
}

/**
 * Durable background work. A job is delivered at least once. It is claimed by one process at a time under a lease
 * and retried with backoff. It is taken up again by any process after its lease ran out. Handlers are therefore idempotent.
 */
export interface JobQueue {
  /** Idempotent by key; all or none are accepted. @throws DomainError `SERVICE_UNAVAILABLE` when the queue cannot be reached */
  enqueue(jobs: readonly NewJob[]): Promise<void>;
  /** Starts the workers of this process. */
  start(handlers: JobHandlers): Promise<void>;
  /** Looks now for jobs of these types, which another process has stored. Absent where a queue hears of them by itself. */
  wake?(types: readonly string[]): void;
  /** Claims nothing new, waits for running handlers at most `graceMs`, then aborts them and gives their leases back. */
  stop(graceMs: number): Promise<void>;
  /** Counts the jobs. */
  stats(): Promise<JobQueueStats>;
  /** Absent where the queue cannot list its jobs. */
  readonly board?: JobBoard;
  /** Closes what the queue itself holds open, after `stop`; it takes and runs nothing any more. Absent where there is nothing. */
  close?(): Promise<void>;
}
