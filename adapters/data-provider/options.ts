import { z } from 'zod';
import { PLATFORM_NAMES } from '../../core/lookups/platform-name.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { LimiterConnection, Rate, ScrapingTransport } from '../scraping/index.ts';

const collaborator = <T>(names: readonly (keyof T & string)[]) =>
  z.custom<T>(
    (value) => names.every((name) => typeof (value as Record<string, unknown> | null)?.[name] === 'function'),
    `expected an object with ${names.join(', ')}`,
  );

/** What an HTTP header can carry. */
export const dataProviderKey = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII without spaces');

export const dataProviderOptionsSchema = z.strictObject({
  platform: z.enum(PLATFORM_NAMES),
  /** The account's key; sent as `x-api-key` to `baseUrl` and nowhere else. */
  key: dataProviderKey,
  baseUrl: z.url({ protocol: /^https?$/ }).default('https://api.scrapecreators.com'),
  /** `off` is for simulators only. */
  pacing: z.enum(['safe', 'off']).default('safe'),
  /** Limit of one port call whose caller sets no deadline. The provider itself gives up after 29 s. */
  timeoutMs: z.number().int().min(100).max(600_000).default(40_000),
  attemptTimeoutMs: z.number().int().min(50).max(120_000).default(30_000),
  maxBodyBytes: z
    .number()
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(8 * 1024 * 1024),
  transport: collaborator<ScrapingTransport>(['send', 'forget', 'close']).optional(),
  limiterConnection: collaborator<LimiterConnection>(['disconnect']).optional(),
  clock: collaborator<Clock>(['now']).optional(),
  random: collaborator<RandomSource>(['bytes']).optional(),
  logger: collaborator<Logger>(['debug', 'info', 'warn', 'error']).optional(),
});

export type DataProviderOptions = z.input<typeof dataProviderOptionsSchema>;
export type DataProviderSettings = z.output<typeof dataProviderOptionsSchema>;

/** The provider names no limit; this keeps a runaway loop from spending an account within minutes. */
export const RATES = {
  provider: { burst: 50, refillEveryMs: 200, spacingMs: 1, concurrency: 10 },
} as const satisfies Record<string, Rate>;
