/**
 * A `JobQueue` on BullMQ, for those who run Redis anyway and want no polling of the storage. Same promises as the leased
 * default; jobs also outlive a Redis that loses its data.
 */
import type { z } from 'zod';
import { checkOptions, refuseMissingPackages } from '../../core/configuration-error.ts';
import { DomainError } from '../../core/errors.ts';
import type { JobQueueAdapter } from '../../core/ports/adapter-values.ts';
import type { JobHandlers, JobQueue, JobType } from '../../core/ports/job-queue.ts';
import { settlesWithin } from '../../core/settles-within.ts';
import { DEFAULT_CONCURRENCY, worksOf } from '../leased-jobs/index.ts';
import { importFailure, missingPackages, type PackageNeed } from '../package-loader/index.ts';
import { reasonOf, reconnecting } from '../redis-rate-limiter/index.ts';
import { type BullMqJobQueueOptions, optionsSchema } from './options.ts';
import { backoffOf, createProcessor, type RunningJob } from './processor.ts';
import type { Queues } from './queues.ts';
import { createSafeCopies } from './safe-copies.ts';

export type { BullMqJobQueueOptions } from './options.ts';

/** A job queue in Redis that also has connections to close. */
export interface BullMqJobQueue extends JobQueue {
  /** Closes the connections; after `stop`. A closed queue takes and runs nothing. */
  close(): Promise<void>;
}

const TYPES = Object.keys(DEFAULT_CONCURRENCY) as JobType[];

/** How long aborted handlers may take to end before their jobs are given back regardless. */
const ABORT_GRACE_MS = 1_000;

/** Redis may be away: what is left then is cut off. */
const CLOSE_MS = 2_000;

interface Workforce {
  pause(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates a queue over the Redis at `url`; nothing is opened before the first call. A key is recognised among jobs of its
 * own type. `enqueue` rejects with `SERVICE_UNAVAILABLE` while Redis is away; its jobs may run later all the same. Needs the
 * package `bullmq`, and a Redis with `maxmemory-policy noeviction`.
 * @throws ZodError for unusable options
 */
export function createBullMqJobQueue({ store, clock, logger, ...rest }: BullMqJobQueueOptions): BullMqJobQueue {
  const settings = optionsSchema.parse(rest);
  const leaseMs = settings.leaseSeconds * 1_000;
  const recoverAfterMs = settings.recoverAfterSeconds * 1_000;
  const copies = createSafeCopies({ store, clock, types: TYPES, recoverAfterMs });
  const running = new Set<RunningJob>();
  let state: 'idle' | 'working' | 'stopped' = 'idle';
  let opening: Promise<Opened> | undefined;
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

  function opened() {
    opening ??= load().then(({ bullmq, Redis, openQueues }) => ({
      bullmq,
      Redis,
      queues: openQueues(bullmq, Redis, settings, TYPES, onError),
    }));
    return opening;
  }

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

  async function employ(handlers: JobHandlers): Promise<Workforce> {
    const { bullmq, Redis, queues } = await opened();
    // Workers wait for Redis as long as it takes.
    const connection = new Redis(settings.url, { ...reconnecting({ resends: true }), maxRetriesPerRequest: null });
    connection.on('error', onError);
    const deps = { bullmq, queues, copies, settings, clock, logger, running };
    const workers = [...worksOf(handlers)].map(([type, work]) => {
      const processor = createProcessor(deps, type, work);
      const worker = new bullmq.Worker(type, processor, {
        connection,
        prefix: settings.prefix,
        concurrency: settings.concurrency[type] ?? DEFAULT_CONCURRENCY[type],
        lockDuration: leaseMs,
        stalledInterval: leaseMs,
        // The processor counts stalls itself: BullMQ would only mark the job as failed.
        maxStalledCount: 1_000_000,
        settings: { backoffStrategy: (_attempts, _type, error) => backoffOf(error, settings) },
      });
      worker.on('error', onError);
      worker.on('lockRenewalFailed', lose);
      return worker;
    });
    return {
      pause: async () => void (await Promise.all(workers.map((worker) => worker.pause()))),
      async close() {
        await settlesWithin(Promise.allSettled(workers.map((worker) => worker.close(true))), CLOSE_MS);
        connection.disconnect();
      },
    };
  }

  function lose(jobIds: readonly string[]): void {
    for (const each of running) {
      if (each.lost || !jobIds.includes(each.job.id ?? '')) continue;
      each.lost = true;
      logger.warn({ jobId: each.job.id, type: each.type }, 'lock of a job lost; its run is aborted');
      each.controller.abort(new Error('The lock of this job is lost.'));
    }
  }

  async function drain(workers: Workforce, graceMs: number): Promise<void> {
    const idle = workers.pause().catch(onError);
    if (await settlesWithin(idle, graceMs)) return;
    for (const { controller } of running) controller.abort(new Error('The job queue stops.'));
    if (await settlesWithin(idle, ABORT_GRACE_MS)) return;
    for (const each of running) {
      each.lost = true;
      logger.warn({ jobId: each.job.id, type: each.type }, 'a job did not end when aborted; given back');
      await settlesWithin(each.job.moveToWait(each.token).catch(onError), CLOSE_MS);
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
      workforce = await employ(handlers);
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
      if (workers === undefined) return;
      await drain(workers, graceMs);
      await workers.close();
    },
    async stats() {
      return await (await opened()).queues.stats();
    },
    async close() {
      if (opening === undefined) return;
      await settlesWithin(
        opening.then(({ queues }) => queues.close()),
        CLOSE_MS,
      );
    },
  };
}

/** Callers try again, as when the storage is away. The error of ioredis is left out: it holds the command that failed. */
function redisAway(error: unknown): DomainError {
  const message = 'The job queue in Redis cannot be used; try again.';
  return new DomainError('SERVICE_UNAVAILABLE', message, { cause: new Error(reasonOf(error).reason) });
}

/** Leases after which a job that Redis does not know any more is put there again: five minutes by default. */
const RECOVERY_LEASES = 5;

const valueOptions = optionsSchema
  .omit({ leaseSeconds: true, recoverAfterSeconds: true })
  .extend({ recoverAfterSeconds: optionsSchema.shape.recoverAfterSeconds.unwrap().optional() });

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
      createBullMqJobQueue({
        ...settings,
        recoverAfterSeconds: settings.recoverAfterSeconds ?? RECOVERY_LEASES * leaseSeconds,
        store,
        clock,
        logger,
        leaseSeconds,
      }),
  };
}

interface Opened {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
  readonly queues: Queues;
}

/** By the first call: a host on another queue does without all of it. */
async function load() {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    const { openQueues } = await import('./queues.ts');
    return { bullmq, Redis, openQueues };
  } catch (error) {
    throw importFailure(importFailure(error, 'bullmq', 'The BullMQ job queue'), 'ioredis', 'Redis');
  }
}
