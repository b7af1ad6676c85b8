/** The workers of this process, one a job type, and the runs under way. */
import type { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobHandlers, JobType } from '../../core/ports/job-queue.ts';
import { settlesWithin } from '../../core/settles-within.ts';
import { DEFAULT_CONCURRENCY, type Work, worksOf } from '../leased-jobs/index.ts';
import { connectTo, reconnecting } from '../redis-rate-limiter/index.ts';
import { backoffOf, createProcessor, type ProcessorDeps, type RunningJob } from './processor.ts';
import { prefixIn } from './queues.ts';

/** How long aborted handlers may take to end before their jobs are given back regardless. */
const ABORT_GRACE_MS = 1_000;

/** Redis may be away: what is left then is cut off. */
export const CLOSE_MS = 2_000;

interface WorkforceDeps extends Omit<ProcessorDeps, 'running'> {
  readonly bullmq: typeof import('bullmq');
  readonly onError: (error: unknown) => void;
}

export class Workforce {
  readonly #deps: WorkforceDeps;
  readonly #connection: Redis;
  readonly #workers: readonly Worker[];
  readonly #running = new Set<RunningJob>();

  /** Starts to work at once. */
  static async of(deps: WorkforceDeps, handlers: JobHandlers): Promise<Workforce> {
    // Workers wait for Redis as long as it takes.
    const patience = { ...reconnecting({ resends: true }), maxRetriesPerRequest: null };
    return new Workforce(deps, handlers, (await connectTo(deps.settings, patience)) as Redis);
  }

  private constructor(deps: WorkforceDeps, handlers: JobHandlers, connection: Redis) {
    this.#deps = deps;
    this.#connection = connection;
    this.#connection.on('error', deps.onError);
    this.#workers = [...worksOf(handlers)].map(([type, work]) => this.#employ(type, work));
  }

  /** Waits for the runs under way, aborts those that run longer than `graceMs`, gives back the jobs of the others. */
  async stop(graceMs: number): Promise<void> {
    await this.#drain(graceMs);
    await settlesWithin(Promise.allSettled(this.#workers.map((worker) => worker.close(true))), CLOSE_MS);
    this.#connection.disconnect();
  }

  #employ(type: JobType, work: Work): Worker {
    const { bullmq, settings, onError } = this.#deps;
    const leaseMs = settings.leaseSeconds * 1_000;
    const worker = new bullmq.Worker(type, createProcessor({ ...this.#deps, running: this.#running }, type, work), {
      connection: this.#connection,
      prefix: prefixIn(settings),
      concurrency: settings.concurrency[type] ?? DEFAULT_CONCURRENCY[type],
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      // The processor counts stalls itself: BullMQ would only mark the job as failed.
      maxStalledCount: 1_000_000,
      settings: { backoffStrategy: (_attempts, _type, error) => backoffOf(error, settings) },
    });
    worker.on('error', onError);
    worker.on('lockRenewalFailed', (jobIds) => this.#lose(jobIds));
    return worker;
  }

  #lose(jobIds: readonly string[]): void {
    for (const each of this.#running) {
      if (each.lost || !jobIds.includes(each.job.id ?? '')) continue;
      each.lost = true;
      this.#deps.logger.warn({ jobId: each.job.id, type: each.type }, 'lock of a job lost; its run is aborted');
      each.controller.abort(new Error('The lock of this job is lost.'));
    }
  }

  async #drain(graceMs: number): Promise<void> {
    const { logger, onError } = this.#deps;
    const idle = Promise.all(this.#workers.map((worker) => worker.pause())).catch(onError);
    if (await settlesWithin(idle, graceMs)) return;
    for (const { controller } of this.#running) controller.abort(new Error('The job queue stops.'));
    if (await settlesWithin(idle, ABORT_GRACE_MS)) return;
    for (const each of this.#running) {
      each.lost = true;
      logger.warn({ jobId: each.job.id, type: each.type }, 'a job did not end when aborted; given back');
      await settlesWithin(each.job.moveToWait(each.token).catch(onError), CLOSE_MS);
    }
  }
}
