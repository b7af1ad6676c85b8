/** The errors of calls that came to nothing. Each names the endpoint that was asked. */
import { DomainError } from '../../core/errors.ts';
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { ScrapingCall } from './types.ts';

export interface Failures {
  /** The answer cannot be read. */
  unreadable(reason: string, endpoint: string, retryAfterSeconds?: number): DomainError;
  /** The identity is refused, or every one that could be asked. */
  refused(reason: string, endpoint: string): DomainError;
  rateLimited(waitMs: number, endpoint: string): DomainError;
  circuitOpen(waitMs: number, endpoint: string, lastReason: string | undefined): DomainError;
  sessionRequired(endpoint: string): DomainError;
  sessionsExhausted(endpoint: string): DomainError;
}

/** The endpoint that health goes by. */
export function endpointOf({ kind, endpoint }: Pick<ScrapingCall<unknown>, 'kind' | 'endpoint'>): string {
  return kind ?? endpoint;
}

export function createFailures({ name: platform, label }: Pick<PlatformDescriptor, 'name' | 'label'>): Failures {
  const unavailable = (
    reason: string,
    endpoint: string,
    message: string,
    more: { readonly retryAfterSeconds?: number | undefined; readonly lastReason?: string | undefined } = {},
  ): DomainError => {
    const { retryAfterSeconds, lastReason } = more;
    return new DomainError('PLATFORM_UNAVAILABLE', message, {
      details: { reason, platform, endpoint, ...(lastReason === undefined ? {} : { lastReason }) },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  };
  const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
  return {
    unreadable(reason, endpoint, retryAfterSeconds) {
      const message = `${label} could not be read (${reason} at ${endpoint}); try again later.`;
      return unavailable(reason, endpoint, message, { retryAfterSeconds });
    },
    refused: (reason, endpoint) =>
      unavailable(reason, endpoint, `${label} refuses to answer us (${reason} at ${endpoint}); try again later.`),
    rateLimited: (waitMs, endpoint) =>
      new DomainError('SCRAPING_RATE_LIMITED', `${label} is asked too often (at ${endpoint}); try again later.`, {
        details: { reason: 'throttled', platform, endpoint },
        retryAfterSeconds: secondsOf(waitMs),
      }),
    circuitOpen(waitMs, endpoint, lastReason) {
      const message = `${label} answered unreadably several times in a row (at ${endpoint}); it is left alone.`;
      return unavailable('circuit-open', endpoint, message, { retryAfterSeconds: secondsOf(waitMs), lastReason });
    },
    sessionRequired: (endpoint) =>
      unavailable('session-required', endpoint, 'This needs a logged-in session; none is configured.'),
    sessionsExhausted: (endpoint) =>
      unavailable('sessions-exhausted', endpoint, 'No configured session is in working order.'),
  };
}
