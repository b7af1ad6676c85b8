/** How a sweep takes a platform's refusals (core/ports/platform.ts). */
import { type DomainError, isDomainError } from '../../errors.ts';
import type { Logger } from '../../ports/logger.ts';

/** What asking again, now or elsewhere, does not change. */
export function isPermanent(error: unknown): boolean {
  return isDomainError(
    error,
    'POST_NOT_FOUND',
    'PROFILE_NOT_FOUND',
    'POST_PRIVATE',
    'PROFILE_PRIVATE',
    'POST_AGE_RESTRICTED',
    'POST_UNAVAILABLE',
    'NOT_SUPPORTED',
  );
}

/** Any refusal that says something about the platform; the rest are defects and pass through. */
export function isPlatformFailure(error: unknown): error is DomainError {
  return (
    isPermanent(error) || isDomainError(error, 'SCRAPING_RATE_LIMITED', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT')
  );
}

/** What a read brings; null if the platform refuses it, which is logged. @throws the signal's reason, and what is no refusal */
export async function ifReadable<T>(
  { logger, signal }: { readonly logger: Logger; readonly signal?: AbortSignal | undefined },
  facts: object,
  told: string,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    signal?.throwIfAborted();
    if (!isPlatformFailure(error)) throw error;
    logger.info({ ...facts, code: error.code }, told);
    return null;
  }
}

const NOT_UNDERSTOOD = new Set<unknown>(['drifted', 'missing-cursor', 'wrong-post']);

/** The platform answered, and the answer cannot be understood: asking again later brings the same. */
export function isNotUnderstood(error: unknown): boolean {
  return isDomainError(error, 'PLATFORM_UNAVAILABLE') && NOT_UNDERSTOOD.has(error.details?.reason);
}

/** This way of reading does not exist for us, for instance for want of a session. */
export function isOutOfReach(error: unknown): boolean {
  return (
    isDomainError(error, 'NOT_SUPPORTED') ||
    (isDomainError(error, 'PLATFORM_UNAVAILABLE') && error.details?.reason === 'session-required')
  );
}
