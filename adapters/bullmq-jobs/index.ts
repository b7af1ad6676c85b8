/**
 * A `JobQueue` on BullMQ, for those who run Redis anyway and want no polling of the storage. Same promises as the leased
 * default; jobs also outlive a Redis that loses its data.
 */
import type { z } from 'zod';
import { checkOptions, refuseMissingPackages } from '../../core/configuration-error.ts';
import { DomainError } from '../../core/errors.ts';
import { late } from '../../core/late.ts';
import type { JobQueueAdapter } from '../../core/ports/adapter-values.ts';
import type { JobQueue } from '../../core/ports/job-queue.ts';
import { settlesWithin } from '../../core/settles-within.ts';
import { importFailure, missingPackages, type PackageNeed } from '../package-loader/index.ts';
import { hasOnePlace, reasonOf } from '../redis-rate-limiter/index.ts';
import { type BullMqJobQueueOptions, type BullMqJobQueueSettings, optionsSchema } from './options.ts';
import { createSafeCopies } from './safe-copies.ts';
import { CLOSE_MS, Workforce } from './workforce.ts';

export type { BullMqJobQueueOptions } from './options.ts';

/** A job queue in Redis that also has connections to close. */
export interface BullMqJobQueue extends JobQueue {
  /** Closes the connections; after `stop`. A closed queue takes and runs nothing. */
  close(): Promise<void>;
}

/** Leases after which a job that Redis does not know any more is put there again. */
const RECOVERY_LEASES = 5;

/**
 * Creates a queue over a Redis; nothing is opened before the first call. A key is recognised among jobs of its
 * own type. `enqueue` rejects with `SERVICE_UNAVAILABLE` while Redis is away; its jobs may run later all the same. Needs the
 * package `bullmq`, and a Redis with `maxmemory-policy noeviction`.
 * @throws ZodError for unusable options
 */
export function createBullMqJobQueue({ store, clock, logger, ...rest }: BullMqJobQueueOptions): BullMqJobQueue {
  const settings = optionsSchema.refine(...hasOnePlace).parse(rest);
  const recoverAfterMs = (settings.recoverAfterSeconds ?? RECOVERY_LEASES * settings.leaseSeconds) * 1_000;
  const copies = createSafeCopies({ store, clock, recoverAfterMs });
  let state: 'idle' | 'working' | 'stopped' = 'idle';
  let workforce: Workforce | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  let recovering: Promise<void> | undefined;
  let isDown = false;

  function onError(error: unknown): void {
    if (!isDown)
      logger.warn(
        reasonOf(error),
        'the job queue in Redis has trouble, and jobs wait; check REDIS_URL, and the memory and rights in Redis',
      );
    isDown = true;
  }

  const opened = late(() => open(settings, onError));

  /** Puts back what Redis lost; every process looks, and each copy is one process's to hand over. */
  async function recover(): Promise<void> {
    try {
      const { queues } = await opened();
      await copies.recover(queues, () => state === 'working');
      isDown = false;
    } catch (error) {
      logger.warn(reasonOf(error), 'copies of jobs could not be compared with Redis; it will be tried again');
    }
  }

  return {
    async enqueue(jobs) {
      if (jobs.length === 0) return;
      const { queues } = await opened();
      await copies.keep(jobs);
      try {
        await queues.add(jobs);
      } catch (error) {
        throw redisAway(error);
      }
    },
    async start(handlers) {
      if (state !== 'idle') throw new Error('A job queue is started once.');
      state = 'working';
      workforce = await Workforce.of({ ...(await opened()), copies, settings, clock, logger, onError }, handlers);
      timer = setInterval(() => {
        recovering ??= recover().finally(() => {
          recovering = undefined;
        });
      }, recoverAfterMs / 2);
    },
    async stop(graceMs) {
      state = 'stopped';
      clearInterval(timer);
      const workers = workforce;
      workforce = undefined;
      await recovering;
      await workers?.stop(graceMs);
    },
    async stats() {
      return await (await opened()).queues.stats();
    },
    async close() {
      const closed = opened.ifMade()?.then(({ queues }) => queues.close());
      if (closed !== undefined) await settlesWithin(closed, CLOSE_MS);
    },
  };
}

/** Callers try again, as when the storage is away. The error of ioredis is left out: it holds the command that failed. */
function redisAway(error: unknown): DomainError {
  const message = 'The job queue in Redis cannot be used; try again.';
  return new DomainError('SERVICE_UNAVAILABLE', message, { cause: new Error(reasonOf(error).reason) });
}

const valueOptions = optionsSchema.omit({ leaseSeconds: true }).refine(...hasOnePlace);

const NEEDS: readonly PackageNeed[] = [
  { field: 'bullmq', neededBy: 'Redis', packages: ['ioredis'] },
  { field: 'bullmq', neededBy: 'The BullMQ job queue', packages: ['bullmq'] },
];

/** What `bullmq` takes; the instance lends the storage, the clock and the logger. */
export type BullMqOptions = z.input<typeof valueOptions>;

/**
 * A queue in Redis as a value, with a copy of every job in the storage. Needs the packages `bullmq` and `ioredis`.
 *
 *     createCredence({ jobs: bullmq({ url: 'redis://127.0.0.1:6379', concurrency: { 'verify-attempt': 128 } }) });
 *
 * `recoverAfterSeconds` is five leases by default.
 * @throws ConfigurationError naming every unusable option, or the packages that are missing
 */
export function bullmq(options: BullMqOptions): JobQueueAdapter {
  const settings = checkOptions('bullmq', valueOptions, options);
  refuseMissingPackages(missingPackages(NEEDS));
  return {
    create: ({ store, clock, logger, leaseSeconds }) =>
      createBullMqJobQueue({ ...settings, store, clock, logger, leaseSeconds }),
  };
}

/** By the first call: a host on another queue does without all of it. */
async function open(settings: BullMqJobQueueSettings, onError: (error: unknown) => void) {
  const [bullmq, { openQueues }] = await Promise.all([importBullMq(), import('./queues.ts')]);
  return { bullmq, queues: await openQueues(bullmq, settings, onError) };
}

// Bundlers let a package be missing whose import is awaited in a `try`.
async function importBullMq() {
  try {
    return await import('bullmq');
  } catch (error) {
    throw importFailure(error, 'bullmq', 'The BullMQ job queue');
  }
}
