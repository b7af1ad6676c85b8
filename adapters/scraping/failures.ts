/** The errors of calls that came to nothing. Each names the endpoint that was asked. */
import { DomainError } from '../../core/errors.ts';
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { ScrapingCall } from './types.ts';

export type Failures = ReturnType<typeof createFailures>;

/** The endpoint that health goes by. */
export function endpointOf({ kind, endpoint }: Pick<ScrapingCall<unknown>, 'kind' | 'endpoint'>): string {
  return kind ?? endpoint;
}

export function createFailures({ name: platform, label }: Pick<PlatformDescriptor, 'name' | 'label'>) {
  const unavailable = (facts: Readonly<Record<string, string>>, message: string, retryAfterSeconds?: number) =>
    new DomainError('PLATFORM_UNAVAILABLE', message, {
      details: { platform, ...facts },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
  const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
  return {
    /** The answer cannot be read. */
    unreadable(reason: string, endpoint: string, retryAfterSeconds?: number) {
      const message = `${label} could not be read (${reason} at ${endpoint}); try again later.`;
      return unavailable({ reason, endpoint }, message, retryAfterSeconds);
    },
    /** The identity is refused, or every one that could be asked. */
    refused: (reason: string, endpoint: string) =>
      unavailable({ reason, endpoint }, `${label} refuses to answer us (${reason} at ${endpoint}); try again later.`),
    rateLimited: (waitMs: number, endpoint: string) =>
      new DomainError('SCRAPING_RATE_LIMITED', `${label} is asked too often (at ${endpoint}); try again later.`, {
        details: { reason: 'throttled', platform, endpoint },
        retryAfterSeconds: secondsOf(waitMs),
      }),
    circuitOpen(waitMs: number, endpoint: string, lastReason: string) {
      const message = `${label} answered unreadably several times in a row (at ${endpoint}); it is left alone.`;
      return unavailable({ reason: 'circuit-open', endpoint, lastReason }, message, secondsOf(waitMs));
    },
    sessionRequired: (endpoint: string) =>
      unavailable({ reason: 'session-required', endpoint }, 'This needs a logged-in session; none is configured.'),
    sessionsExhausted: (endpoint: string) =>
      unavailable({ reason: 'sessions-exhausted', endpoint }, 'No configured session is in working order.'),
  };
}
