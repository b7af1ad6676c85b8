import { z } from 'zod';
import type { Clock } from '../../core/ports/clock.ts';
import { JOB_TYPES, type JobType } from '../../core/ports/job-queue.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import type { Logger } from '../../core/ports/logger.ts';

const count = z.int().min(1).max(1_000);

/** How many jobs of a type a process runs at a time. */
export const perType = z
  .strictObject(Object.fromEntries(JOB_TYPES.map((type) => [type, count])) as Record<JobType, typeof count>)
  .partial()
  .default({});

/** How failed jobs run again, whichever queue they wait in. */
export const retries = {
  /** After this many failed runs a job is dead-lettered. @default 10 */
  maxRuns: count.default(10),
  /** Wait after the first failed run; doubles with every further one. @default 1_000 */
  backoffMs: z.int().min(1).max(600_000).default(1_000),
  /** @default 600_000 */
  maxBackoffMs: z.int().min(1).max(86_400_000).default(600_000),
};

export const optionsSchema = z.strictObject({
  /** How many jobs of a type this process runs at a time. */
  concurrency: perType,
  /** A job whose process died is taken up again after this long. @default 60 */
  leaseSeconds: z.number().min(0.1).max(3_600).default(60),
  /** How often jobs of other processes are looked for; own ones are started at once. @default 1_000 */
  pollMs: z.int().min(5).max(60_000).default(1_000),
  ...retries,
});

/** The options with their defaults. */
export type LeasedJobQueueSettings = z.output<typeof optionsSchema>;

/** What `createLeasedJobQueue` takes. Times are in the unit that their names say. */
export type LeasedJobQueueOptions = z.input<typeof optionsSchema> & {
  readonly store: JobStore;
  readonly clock: Clock;
  readonly logger: Logger;
};

/**
 * Rewards and most verifications wait for the storage, which likes to write many at once; verifications that read a post take turns (`core/engagement/attempts/post-reads.ts`). The rest waits for a platform.
 */
export const DEFAULT_CONCURRENCY: Readonly<Record<JobType, number>> = {
  'verify-attempt': 256,
  'issue-reward': 256,
  'check-engagement': 8,
  'sweep-comments': 2,
  'settle-comments': 2,
  'refresh-metrics': 4,
  'fetch-likers': 2,
  'read-canary': 2,
};
