import { z } from 'zod';
import type { UsageStore } from '../../core/ports/usage-store.ts';
import { callTimeout, scrapingOptions, webUrl } from '../scraping/index.ts';
import { PROVIDER_NAMES, PROVIDERS } from './providers.ts';

/** What an HTTP header can carry. */
export const dataProviderKey = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII without spaces');

/** Checks `DataProviderOptions` and fills in the defaults. */
export const dataProviderOptionsSchema = z.strictObject({
  ...scrapingOptions,
  platform: z.enum(['instagram', 'tiktok']),
  /** Who is asked. @default 'scrapecreators' */
  name: z.enum(PROVIDER_NAMES).default('scrapecreators'),
  /** The account's key; sent in a header to `baseUrl` and nowhere else. */
  key: dataProviderKey,
  /** @default the provider's own address */
  baseUrl: webUrl.optional(),
  /** The most requests of one day (UTC), of all processes together. @default no limit */
  dailyCredits: z.int().min(1).max(1_000_000_000).optional(),
  /** Where they are counted. */
  usage: z.custom<Pick<UsageStore, 'add' | 'between'>>().optional(),
  /** Limit of one port call whose caller sets no deadline. @default 40_000 */
  timeoutMs: callTimeout.default(40_000),
});

/** Whether this provider reads this platform. */
export function readsPlatform(name: keyof typeof PROVIDERS, platform: string): boolean {
  return Object.hasOwn(PROVIDERS[name].dialects, platform);
}

/** Everything that a reader of the data provider takes. */
export type DataProviderOptions = z.input<typeof dataProviderOptionsSchema>;
/** What `dataProvider` takes; the instance lends the rest. */
export type DataProviderSourceOptions = Omit<
  DataProviderOptions,
  'clock' | 'random' | 'logger' | 'limiterConnection' | 'usage'
>;
export type DataProviderSettings = z.output<typeof dataProviderOptionsSchema>;
