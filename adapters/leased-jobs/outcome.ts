/** What becomes of a job after a run: pure, so that every case can be tried without a queue. */
import { isDomainError } from '../../core/errors.ts';
import { RunLater } from '../../core/ports/job-queue.ts';
import type { LeasedJobQueueSettings } from './options.ts';

export type RunOutcome =
  | { readonly kind: 'done' }
  /** Again at `runAt`; `counts` is false when the run shall not use up one of the job's runs. */
  | { readonly kind: 'again'; readonly runAt: Date; readonly error: string | null; readonly counts: boolean }
  | { readonly kind: 'dead'; readonly error: string };

export type BackoffSettings = Pick<LeasedJobQueueSettings, 'maxRuns' | 'backoffMs' | 'maxBackoffMs'>;

/** The outcome of a run that threw. `run` counts from 1; `random` is uniform in [0, 1). */
export function outcomeOfFailure(
  error: unknown,
  run: number,
  now: Date,
  settings: BackoffSettings,
  random: () => number = Math.random,
): RunOutcome {
  if (error instanceof RunLater) return { kind: 'again', runAt: error.at, error: null, counts: false };
  const text = errorText(error);
  if (run >= settings.maxRuns) return { kind: 'dead', error: text };
  const backoff = Math.min(settings.backoffMs * 2 ** Math.min(run - 1, 30), settings.maxBackoffMs);
  const retryAfter = isDomainError(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  // Half of the backoff is random, so that jobs that failed together do not come back together.
  const wait = Math.max(backoff * (0.5 + random() / 2), Math.min(retryAfter, 86_400_000));
  return { kind: 'again', runAt: new Date(now.getTime() + Math.round(wait)), error: text, counts: true };
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
