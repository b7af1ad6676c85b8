/** When a webhook is tried again (docs/decisions.md#webhooks-and-events). */
import { readRetryAfter } from '../../retry-after.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first, second, ... failed try, in milliseconds: eight tries over about 28 hours. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
];

/** Each wait varies by a fifth either way, so that deliveries that failed together do not come back together. */
const JITTER = 0.2;

export interface RetryInput {
  /** How many tries were made, this one included. */
  readonly tries: number;
  readonly now: Date;
  /** The `Retry-After` header of the answer, if any. */
  readonly retryAfter: string | null;
  readonly delays: readonly number[];
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * The time of the next try; null when the tries are exhausted. `Retry-After` (seconds or an HTTP date) is a least wait: it
 * moves the try later than scheduled, never earlier, by at most 24 hours.
 */
export function nextTryAt(input: RetryInput): Date | null {
  const delay = input.delays[input.tries - 1];
  if (delay === undefined) return null;
  const scheduled = delay * (1 - JITTER + 2 * JITTER * input.random());
  const wait = Math.max(scheduled, readRetryAfter(input.retryAfter, input.now) ?? 0);
  return new Date(input.now.getTime() + Math.round(wait));
}
