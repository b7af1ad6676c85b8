/** Runs one job under BullMQ's lock and says what becomes of it. */
import type { Job, Processor } from 'bullmq';
import type { Clock } from '../../core/ports/clock.ts';
import type { JobContext, JobType } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { outcomeOfFailure } from '../leased-jobs/index.ts';
import type { BullMqJobQueueSettings } from './options.ts';
import type { JobData, Queues } from './queues.ts';
import type { SafeCopies } from './safe-copies.ts';

export type AnyHandler = (payload: unknown, context: JobContext) => Promise<void>;

export interface RunningJob {
  readonly job: Job<JobData>;
  readonly type: JobType;
  readonly token: string;
  readonly controller: AbortController;
  /** Its lock is gone or was given back: what becomes of the job is no longer ours to say. */
  lost: boolean;
}

/** A failed run; BullMQ asks `backoffOf` how long to wait, and keeps the message. */
class FailedRun extends Error {
  override readonly name = 'FailedRun';
  readonly waitMs: number;

  constructor(message: string, waitMs: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/** BullMQ's `backoffStrategy`. */
export function backoffOf(error: Error | undefined, settings: BullMqJobQueueSettings): number {
  return error instanceof FailedRun ? error.waitMs : settings.backoffMs;
}

export interface ProcessorDeps {
  readonly bullmq: Pick<typeof import('bullmq'), 'DelayedError' | 'UnrecoverableError' | 'WaitingError'>;
  readonly queues: Queues;
  readonly copies: SafeCopies;
  readonly settings: BullMqJobQueueSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The runs of this process; the processor adds and removes its own. */
  readonly running: Set<RunningJob>;
}

export function createProcessor(deps: ProcessorDeps, type: JobType, handler: AnyHandler): Processor<JobData, void> {
  const { bullmq, clock, logger, settings } = deps;

  async function setAside({ job }: RunningJob, error: string): Promise<never> {
    await deps.queues.bury(type, job.data, error);
    await deps.copies.drop(job.data.key);
    throw new bullmq.UnrecoverableError(error);
  }

  async function afterFailure(each: RunningJob, run: number, error: unknown): Promise<never> {
    const { job, token, controller } = each;
    if (each.lost) throw new bullmq.WaitingError();
    if (controller.signal.aborted) {
      await job.moveToWait(token);
      throw new bullmq.WaitingError();
    }
    const outcome = outcomeOfFailure(error, run, clock.now(), settings);
    const facts = { jobId: job.id, type, run };
    if (outcome.kind === 'dead') {
      logger.error({ ...facts, err: error }, 'job set aside after its last run');
      return await setAside(each, outcome.error);
    }
    if (outcome.kind === 'done') throw new TypeError('A run that threw is not done.');
    if (!outcome.counts) {
      await job.moveToDelayed(outcome.runAt.getTime(), token);
      throw new bullmq.DelayedError();
    }
    logger.warn({ ...facts, err: error }, 'job run failed');
    throw new FailedRun(outcome.error ?? 'failed', Math.max(0, outcome.runAt.getTime() - clock.now().getTime()));
  }

  return async (job, token = '') => {
    const each: RunningJob = { job, type, token, controller: new AbortController(), lost: false };
    deps.running.add(each);
    // Runs that failed, and runs whose process died; neither a job put off nor one given back counts.
    const run = job.attemptsMade + job.stalledCounter + 1;
    try {
      // A job that takes its process down is never seen to fail; its stalls tell.
      if (run > settings.maxRuns) return await setAside(each, `Given up after ${settings.maxRuns} runs.`);
      try {
        await handler(job.data.payload, { run, signal: each.controller.signal });
      } catch (error) {
        return await afterFailure(each, run, error);
      }
      if (!each.lost) await deps.copies.drop(job.data.key);
    } finally {
      deps.running.delete(each);
    }
  };
}
