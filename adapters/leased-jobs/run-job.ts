/** One run of a job, whichever queue it waited in: the handler, and what follows when it was the last one. */
import type { Clock } from '../../core/ports/clock.ts';
import type { JobContext, JobFailure, JobHandlers, JobType } from '../../core/ports/job-queue.ts';
import type { Logger } from '../../core/ports/logger.ts';
import {
  type BackoffSettings,
  errorText,
  isAway,
  type JobAge,
  outcomeOfFailure,
  type RunOutcome,
  reschedule,
} from './outcome.ts';

/** A job handler whose payload type is forgotten. */
export interface Work {
  /** As `JobHandler.run`. */
  readonly run: (payload: unknown, context: JobContext) => Promise<void>;
  /** As `JobHandler.onDeadLetter`. */
  readonly onDeadLetter: (payload: unknown, failure: JobFailure) => Promise<void>;
}

/** A job that is about to run. */
export interface JobToRun extends JobAge {
  readonly id: number | string | undefined;
  readonly type: JobType;
  readonly key: string;
  readonly payload: unknown;
}

/** What `runJob` needs. */
export interface RunDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: BackoffSettings;
}

/** The handlers of the types that have one. */
export function worksOf(handlers: JobHandlers): ReadonlyMap<JobType, Work> {
  const works = new Map<JobType, Work>();
  for (const type of Object.keys(handlers) as JobType[]) {
    const handler = handlers[type];
    if (handler === undefined) continue;
    const work = typeof handler === 'function' ? { run: handler, onDeadLetter: async () => undefined } : handler;
    // Sound because a job's payload was enqueued under the same type.
    works.set(type, work as Work);
  }
  return works;
}

/** Runs the job, or gives it up when it has run too often already. Never throws. */
export async function runJob(work: Work, job: JobToRun, signal: AbortSignal, deps: RunDeps): Promise<RunOutcome> {
  const { maxRuns } = deps.settings;
  // A job that takes its process down is never seen to fail; its runs, which are counted before they begin, tell.
  if (job.run > maxRuns) return deadLetter(work, job, signal, deps, new Error(`Never seen to end in ${maxRuns} runs.`));
  try {
    await work.run(job.payload, { run: job.run, signal });
    return { kind: 'done' };
  } catch (error) {
    if (signal.aborted) return givenBack(deps);
    const outcome = outcomeOfFailure(error, job, deps.clock.now(), deps.settings);
    if (outcome.kind === 'dead') return deadLetter(work, job, signal, deps, error);
    if (outcome.kind === 'again' && outcome.error !== null)
      deps.logger.warn({ ...factsOf(job), err: error }, outcome.counts ? 'job run failed' : 'job rescheduled');
    return outcome;
  }
}

async function deadLetter(
  work: Work,
  job: JobToRun,
  signal: AbortSignal,
  deps: RunDeps,
  error: unknown,
): Promise<RunOutcome> {
  const text = errorText(error);
  // What follows from dead-lettering may fail or take the process down as well, and is no less bounded.
  const settings = { ...deps.settings, maxRuns: deps.settings.maxRuns * 2 };
  if (job.run <= settings.maxRuns) {
    try {
      await work.onDeadLetter(job.payload, { error: text, signal });
    } catch (failure) {
      if (signal.aborted) return givenBack(deps);
      deps.logger.error({ ...factsOf(job), err: failure }, 'a dead-lettered job could not be concluded');
      const now = deps.clock.now();
      // However often: what waits for this job would wait forever. Its last run is counted, so that it is not run again.
      if (isAway(failure))
        return { ...reschedule(failure, job, now, settings), counts: job.run <= deps.settings.maxRuns };
      const outcome = outcomeOfFailure(failure, job, now, settings);
      if (outcome.kind !== 'dead') return outcome;
    }
  }
  deps.logger.error({ ...factsOf(job), err: error }, 'job dead-lettered after its last run');
  return { kind: 'dead', error: text };
}

/** The queue stops or the lease is lost, which says nothing about the job. */
function givenBack({ clock }: RunDeps): RunOutcome {
  return { kind: 'again', runAt: clock.now(), error: null, counts: false };
}

function factsOf({ id, type, key, run }: JobToRun): object {
  return { jobId: id, type, key, run };
}
