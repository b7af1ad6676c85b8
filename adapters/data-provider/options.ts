import { z } from 'zod';
import { attemptTimeout, callTimeout, type Rate, scrapingOptions, webUrl } from '../scraping/index.ts';
import { instagram } from './instagram.ts';
import { tiktok } from './tiktok.ts';

/** How the provider words the platforms that it reads. */
export const DIALECTS = { instagram, tiktok };

/** What an HTTP header can carry. */
export const dataProviderKey = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII without spaces');

/** Checks `DataProviderOptions` and fills in the defaults. */
export const dataProviderOptionsSchema = z.strictObject({
  ...scrapingOptions,
  platform: z.literal(Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]),
  /** The account's key; sent as `x-api-key` to `baseUrl` and nowhere else. */
  key: dataProviderKey,
  /** @default 'https://api.scrapecreators.com' */
  baseUrl: webUrl.default('https://api.scrapecreators.com'),
  /** Limit of one port call whose caller sets no deadline. The provider itself gives up after 29 s. @default 40_000 */
  timeoutMs: callTimeout.default(40_000),
  /** @default 30_000 */
  attemptTimeoutMs: attemptTimeout.default(30_000),
});

/** Everything that a reader of the data provider takes. */
export type DataProviderOptions = z.input<typeof dataProviderOptionsSchema>;
/** What `dataProvider` takes; the instance lends the rest. */
export type DataProviderSourceOptions = Omit<DataProviderOptions, 'clock' | 'random' | 'logger' | 'limiterConnection'>;
export type DataProviderSettings = z.output<typeof dataProviderOptionsSchema>;

/** The provider names no limit; this keeps a runaway loop from spending an account within minutes. */
export const RATES = {
  provider: { burst: 50, refillEveryMs: 200, spacingMs: 1, concurrency: 10 },
} as const satisfies Record<string, Rate>;
