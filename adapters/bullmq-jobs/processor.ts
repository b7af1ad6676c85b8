/** Runs one job under BullMQ's lock and says what becomes of it. */
import type { Job, Processor } from 'bullmq';
import type { Clock } from '../../core/ports/clock.ts';
import type { JobType } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { isAway, type JobAge, type RunOutcome, reschedule, runJob, type Work } from '../leased-jobs/index.ts';
import type { BullMqJobQueueSettings } from './options.ts';
import type { JobData, Queues } from './queues.ts';
import type { SafeCopies } from './safe-copies.ts';

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

export function createProcessor(deps: ProcessorDeps, type: JobType, work: Work): Processor<JobData, void> {
  const { bullmq, clock } = deps;

  /** BullMQ is told by what is thrown, and by nothing being thrown. */
  async function conclude({ job, token, controller }: RunningJob, age: JobAge, ended: RunOutcome): Promise<void> {
    const outcome = ended.kind === 'again' ? ended : await withoutCopy(job.data.key, age, ended);
    if (outcome.kind === 'done') return;
    if (outcome.kind === 'dead') {
      await deps.queues.deadLetter(type, job, outcome.error);
      throw new bullmq.UnrecoverableError(outcome.error);
    }
    if (outcome.counts) {
      const waitMs = Math.max(0, outcome.runAt.getTime() - clock.now().getTime());
      throw new FailedRun(outcome.error ?? 'failed', waitMs);
    }
    if (controller.signal.aborted) {
      await job.moveToWait(token);
      throw new bullmq.WaitingError();
    }
    await job.moveToDelayed(outcome.runAt.getTime(), token);
    throw new bullmq.DelayedError();
  }

  /** A job whose copy cannot be dropped is not over: the copy would bring it back. */
  async function withoutCopy(key: string, age: JobAge, outcome: RunOutcome): Promise<RunOutcome> {
    try {
      await deps.copies.drop(key);
      return outcome;
    } catch (error) {
      if (!isAway(error)) throw error;
      // A dead-lettered job is concluded once more, and not run.
      const counts = outcome.kind === 'dead' && age.run <= deps.settings.maxRuns;
      return { ...reschedule(error, age, clock.now(), deps.settings), counts };
    }
  }

  return async (job, token = '') => {
    const each: RunningJob = { job, type, token, controller: new AbortController(), lost: false };
    deps.running.add(each);
    // Runs that failed, and runs whose process died; neither a job postponed nor one given back counts. BullMQ tells of deaths from
    // 5.49 on; before, the bound of starts ends a job whose process always dies.
    const { attemptsMade, stalledCounter = 0, attemptsStarted = attemptsMade + 1 } = job;
    const run = attemptsMade + stalledCounter + 1;
    const age = { run, starts: attemptsStarted, createdAt: new Date(job.timestamp) };
    const { key, payload } = job.data;
    try {
      const outcome = await runJob(work, { id: job.id, type, key, payload, ...age }, each.controller.signal, deps);
      if (!each.lost) return await conclude(each, age, outcome);
      if (outcome.kind !== 'done') throw new bullmq.WaitingError();
    } finally {
      deps.running.delete(each);
    }
  };
}
