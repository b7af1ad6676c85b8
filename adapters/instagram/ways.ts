/** Several ways to the same data, tried in order. */
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { CallTime } from '../scraping/index.ts';

export interface Way<T> {
  readonly name: string;
  /** `before`: why the ways before this one failed. */
  readonly read: (before: readonly DomainError[]) => Promise<T>;
  /** Whether a failure of this way ends the search, since the ways after it would show less and not say so. */
  readonly isBelieved?: (error: DomainError) => boolean;
}

/**
 * The first way that works. A clear answer (not found, private, …) ends the search: another way would say the same. When none
 * works, the failure of the first one is thrown; the others are in its message and its `details.also`.
 */
export async function firstThatWorks<T>(time: CallTime, ways: readonly Way<T>[]): Promise<T> {
  const failures: Failure[] = [];
  for (const way of ways) {
    try {
      return await way.read(failures.map((failure) => failure.error));
    } catch (error) {
      if (!isTransient(error) || way.isBelieved?.(error) === true) throw error;
      failures.push({ way: way.name, error });
      time.check();
    }
  }
  throw summary(failures);
}

interface Failure {
  readonly way: string;
  readonly error: DomainError;
}

function summary(failures: readonly Failure[]): DomainError {
  const [first, ...others] = failures;
  if (first === undefined) throw new TypeError('There is no way to try.');
  if (others.length === 0) return first.error;
  const { code, message, details, retryAfterSeconds } = first.error;
  const also = others.flatMap(told);
  const names = also.map(({ way, endpoint, reason }) => `${endpoint ?? way} (${reason})`);
  return new DomainError(code, `${message} Other ways failed too: ${names.join(', ')}.`, {
    details: { ...details, way: first.way, also },
    cause: first.error,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

interface Told {
  readonly way: string;
  readonly code: string;
  readonly reason: unknown;
  readonly endpoint?: unknown;
}

/** A way that has several ways itself tells of each. */
function told({ way, error: { code, details } }: Failure): readonly Told[] {
  const endpoint = details?.endpoint === undefined ? {} : { endpoint: details.endpoint };
  const inner = Array.isArray(details?.also) ? (details.also as readonly Told[]) : [];
  return [{ way, code, reason: details?.reason, ...endpoint }, ...inner];
}

/** What was there and could not be read: an answer in an unknown shape or cut off, not a refusal. */
export function isUnreadable(error: DomainError): boolean {
  return error.code === 'PLATFORM_UNAVAILABLE' && UNREADABLE_REASONS.has(String(error.details?.reason));
}

const UNREADABLE_REASONS: ReadonlySet<string> = new Set([
  'drifted',
  'missing-cursor',
  'not-json',
  'api-refused',
  'broken-body',
  'body-too-large',
]);

/** Another way may succeed where this one failed. */
export function isTransient(error: unknown): error is DomainError {
  return isDomainError(error, 'PLATFORM_UNAVAILABLE', 'SCRAPING_RATE_LIMITED');
}
