/** What becomes of a job after a run: pure, so that every case can be tried without a queue. */
import { isDomainError } from '../../core/errors.ts';
import { RescheduleError } from '../../core/ports/job-queue.ts';
import type { LeasedJobQueueSettings } from './options.ts';

/** What becomes of a job after a run. */
export type RunOutcome =
  | { readonly kind: 'done' }
  /** Again at `runAt`; `counts` is false when the run must not use up one of the job's runs. */
  | { readonly kind: 'again'; readonly runAt: Date; readonly error: string | null; readonly counts: boolean }
  | { readonly kind: 'dead'; readonly error: string };

/** The settings that decide when a failed job runs again. */
export type BackoffSettings = Pick<LeasedJobQueueSettings, 'maxRuns' | 'backoffMs' | 'maxBackoffMs'>;

/** How far a job has come. */
export interface JobAge {
  /** 1 on the first run. Runs whose process died count as well; what was postponed or given back does not. */
  readonly run: number;
  /** How often it was begun, this time included, whatever came of it. */
  readonly starts: number;
  readonly createdAt: Date;
}

/**
 * A job that finds the storage or the service away is not at fault and loses nothing by waiting. What an older job says is
 * away may be the job's own trouble, for example a query that always takes too long. From then on its runs count.
 */
const UNCOUNTED_FOR_MS = 7 * 86_400_000;

/** What was only away is not kept waiting for long after it is back. */
const AWAY_BACKOFF_MS = 30_000;

/** The storage or the service itself is away, which says nothing about the job. */
export function isAway(error: unknown): boolean {
  return isDomainError(error, 'SERVICE_UNAVAILABLE');
}

/** The outcome of a run that threw. `random` is uniform in [0, 1). */
export function outcomeOfFailure(
  error: unknown,
  job: JobAge,
  now: Date,
  settings: BackoffSettings,
  random: () => number = Math.random,
): RunOutcome {
  if (error instanceof RescheduleError) return { kind: 'again', runAt: error.at, error: null, counts: false };
  if (isAway(error) && now.getTime() - job.createdAt.getTime() < UNCOUNTED_FOR_MS)
    return reschedule(error, job, now, settings, random);
  const text = errorText(error);
  if (job.run >= settings.maxRuns) return { kind: 'dead', error: text };
  return { kind: 'again', runAt: backoff(error, job.run, now, settings, random), error: text, counts: true };
}

/** The outcome of what failed because the storage or the service is away: again, however often. */
export function reschedule(
  error: unknown,
  { starts }: Pick<JobAge, 'starts'>,
  now: Date,
  settings: BackoffSettings,
  random: () => number = Math.random,
): RunOutcome & { readonly kind: 'again' } {
  const patient = { ...settings, maxBackoffMs: Math.min(settings.maxBackoffMs, AWAY_BACKOFF_MS) };
  const runAt = backoff(error, starts, now, patient, random);
  return { kind: 'again', runAt, error: errorText(error), counts: false };
}

function backoff(error: unknown, times: number, now: Date, settings: BackoffSettings, random: () => number): Date {
  const longest = Math.min(settings.backoffMs * 2 ** Math.min(times - 1, 30), settings.maxBackoffMs);
  const retryAfter = isDomainError(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  // Half of it is random, so that jobs that failed together do not come back together.
  const wait = Math.max(longest * (0.5 + random() / 2), Math.min(retryAfter, 86_400_000));
  return new Date(now.getTime() + Math.round(wait));
}

/** Name, code and message, without the stack; bounded, because it is stored. */
export function errorText(error: unknown): string {
  const text = isDomainError(error)
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? `${error.name}: ${error.message}`
      : 'A job threw something that is not an error.';
  return text.slice(0, 500);
}
