/** The options that every platform adapter takes, checked in one way. */
import { z } from 'zod';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { LimiterConnection } from './pacing.ts';
import type { ScrapingTransport, SendRequest } from './types.ts';

const hasMethods = (value: unknown, names: readonly string[]) =>
  names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function');

/** An object that has these methods; what they do cannot be checked. */
const collaborator = <T>(names: readonly (keyof T & string)[]) =>
  z.custom<T>((value) => hasMethods(value, names), `expected an object with ${names.join(', ')}`);

/** Checks an http or https URL. */
export const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** See `SendRequest`, of which this is one, or `ScrapingTransport`. */
export const scrapingTransport = z.custom<ScrapingTransport | SendRequest>(
  (value) => typeof value === 'function' || hasMethods(value, ['send', 'forget', 'close']),
  'expected a function, or an object with send, forget, close',
);

/** Of a desktop browser; the client hints of Chromium browsers follow from it. */
export const browserUserAgent = z.string().regex(/^[\x20-\x7e]{1,300}$/, 'must be 1 to 300 printable ASCII characters');

/** What every scraped platform can be told. */
export interface ScrapedPlatformOptions {
  /** Where the platform is read from; a simulator's address in tests. */
  readonly baseUrl?: string | undefined;
  /**
   * `safe` keeps the distance between requests that the platform allows; `off` is for simulators.
   * @default 'safe'
   */
  readonly pacing?: 'safe' | 'off' | undefined;
  /** An HTTP proxy; `{session}` in it becomes a key of the identity, for sticky addresses. */
  readonly proxyUrl?: string | undefined;
  /**
   * The user agent of a desktop browser; its client hints follow from it.
   * @default a current Chrome
   */
  readonly userAgent?: string | undefined;
  /** Sends the requests instead of the built-in client, for example with a browser's TLS. */
  readonly transport?: SendRequest | ScrapingTransport | undefined;
  /**
   * Limit in milliseconds of one call whose caller sets no deadline.
   * @default 30000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The largest body that is read, in bytes.
   * @default 8388608
   */
  readonly maxBodyBytes?: number | undefined;
}

/** The options that every reader has, for its own schema. */
export const scrapingOptions = {
  /** `safe` keeps the distance between requests that a source allows; `off` is for simulators only. @default 'safe' */
  pacing: z.enum(['safe', 'off']).default('safe'),
  maxBodyBytes: z
    .number()
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(8 * 1024 * 1024),
  transport: scrapingTransport.optional(),
  /** Shares the rates between processes. */
  limiterConnection: collaborator<LimiterConnection>(['disconnect']).optional(),
  clock: collaborator<Clock>(['now']).optional(),
  random: collaborator<RandomSource>(['bytes']).optional(),
  logger: collaborator<Logger>(['debug', 'info', 'warn', 'error']).optional(),
};

/** Limit in milliseconds of one port call whose caller sets no deadline. */
export const callTimeout = z.number().int().min(100).max(600_000);
