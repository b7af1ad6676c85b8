/** Which failed calls are repeated, and when. */
import { CredenceApiError, CredenceConnectionError } from './errors.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** A part of each wait is random, so that clients that failed together do not come back together. */
const JITTER = 0.25;

/** Statuses of proxies in front of an instance that does not answer. */
const OF_PROXIES = new Set([502, 504]);

/** Whether the request can be sent twice without a second effect: by its method, or its idempotency key. */
export function isRepeatable(method: string, idempotencyKey: string | undefined): boolean {
  return method === 'GET' || method === 'DELETE' || (method === 'POST' && idempotencyKey !== undefined);
}

/**
 * Milliseconds to wait before the next try; null if there is no point in one.
 * @param tries how often the request was sent already
 */
export function waitBefore(error: unknown, repeatable: boolean, tries: number): number | null {
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  const jittered = (ms: number) => ms * (1 + JITTER * Math.random());
  if (error instanceof CredenceConnectionError) return repeatable && isTransient(error) ? jittered(backoff) : null;
  if (!(error instanceof CredenceApiError) || !isWorthRepeating(error, repeatable)) return null;
  const asked = (error.retryAfterSeconds ?? 0) * 1_000;
  // A longer wait is for the caller to decide on.
  return asked > LONGEST_WAIT_MS ? null : jittered(Math.max(asked, backoff));
}

/** `fetch` itself failed: the connection, not what came over it. */
const isTransient = ({ cause }: CredenceConnectionError) => cause !== undefined;

function isWorthRepeating({ status, code }: CredenceApiError, repeatable: boolean): boolean {
  // Refused before anything ran, whatever the method.
  if (status === 429) return true;
  if (!repeatable) return false;
  return status === 503 || code === 'IDEMPOTENCY_KEY_IN_USE' || (OF_PROXIES.has(status) && code === null);
}
