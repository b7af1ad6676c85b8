import { z } from 'zod';
import type { Clock } from '../../core/ports/clock.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { perType, retries } from '../leased-jobs/index.ts';
import { redisPlace, redisPrefix } from '../redis-rate-limiter/index.ts';

/** Checks `BullMqJobQueueOptions` and fills in the defaults. */
export const optionsSchema = z.strictObject({
  ...redisPlace,
  /** In front of every key; instances with the same one share their jobs, and so need the same storage. */
  prefix: redisPrefix,
  concurrency: perType,
  /** BullMQ's lock: a job whose process died is taken up again after this long, at most twice as long. @default 60 */
  leaseSeconds: z.number().min(0.1).max(3_600).default(60),
  ...retries,
  /** How long a job may be missing from Redis before it is put there again from its copy in the storage. @default five leases */
  recoverAfterSeconds: z.number().min(0.1).max(86_400).optional(),
});

/** The options with their defaults. */
export type BullMqJobQueueSettings = z.output<typeof optionsSchema>;

/** What `createBullMqJobQueue` takes. Times are in the unit that their names say. */
export type BullMqJobQueueOptions = z.input<typeof optionsSchema> & {
  /** Keeps a copy of every job until it is done: what Redis loses is put there again. */
  readonly store: JobStore;
  readonly clock: Clock;
  readonly logger: Logger;
};
