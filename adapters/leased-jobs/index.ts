/**
 * The default `JobQueue`: leased records in a `JobStore`. Any number of processes can share the work, and no job is lost if
 * one of them dies. A process claims no more than it has free slots for.
 */
import type { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import type { JobQueueAdapter } from '../../core/ports/adapter-values.ts';
import type { JobQueue } from '../../core/ports/job-queue.ts';
import { LeasedJobQueue } from './leased-job-queue.ts';
import { type LeasedJobQueueOptions, optionsSchema } from './options.ts';

export { DEFAULT_CONCURRENCY, type LeasedJobQueueOptions, perType, retries } from './options.ts';
export { isAway, type JobAge, outcomeOfFailure, type RunOutcome, reschedule } from './outcome.ts';
export { runJob, type Work, worksOf } from './run-job.ts';

/**
 * Creates a queue. Any process may `enqueue`; one that has called `start` also works. A run is aborted through its signal
 * when the lease is lost; what it writes afterwards is fenced off. A job whose process died counts that run.
 * @throws ZodError that names the option
 */
export const createLeasedJobQueue = (options: LeasedJobQueueOptions): JobQueue => new LeasedJobQueue(options);

const valueOptions = optionsSchema.omit({ leaseSeconds: true });

/** What `leased` takes; the instance lends the storage, the clock and the logger. */
export type LeasedOptions = z.input<typeof valueOptions>;

/**
 * The default queue as a value: jobs wait in the storage.
 *
 *     createCredence({ jobs: { queue: leased({ pollMs: 250, concurrency: { 'verify-attempt': 16 } }), leaseSeconds: 30 } });
 *
 * @throws ConfigurationError naming every unusable option
 */
export function leased(options: LeasedOptions = {}): JobQueueAdapter {
  const settings = checkOptions('leased', valueOptions, options);
  return {
    create: ({ store, clock, logger, leaseSeconds }) =>
      createLeasedJobQueue({ ...settings, store, clock, logger, leaseSeconds }),
  };
}
