/** The data providers that can be asked, by name. */
import type { Rate } from '../scraping/index.ts';
import type { AccountStatuses } from './answers.ts';
import type { ProviderDialect } from './dialect.ts';
import { hikerInstagram } from './hikerapi.ts';
import { instagram } from './instagram.ts';
import { tiktok } from './tiktok.ts';

interface Provider {
  readonly baseUrl: string;
  /** Where the key goes. */
  readonly keyHeader: string;
  readonly accountStatuses: AccountStatuses;
  readonly rate: Rate;
  /** How it words the platforms that it reads. */
  readonly dialects: { readonly [platform: string]: ProviderDialect };
}

export const PROVIDER_NAMES = ['scrapecreators', 'hikerapi'] as const;

export const PROVIDERS: Readonly<Record<(typeof PROVIDER_NAMES)[number], Provider>> = {
  scrapecreators: {
    baseUrl: 'https://api.scrapecreators.com',
    keyHeader: 'x-api-key',
    accountStatuses: { 401: 'provider-key', 402: 'provider-credits', 403: 'provider-forbidden' },
    // It names no limit; this keeps a runaway loop from spending an account within minutes.
    rate: { burst: 50, refillEveryMs: 200, spacingMs: 1, concurrency: 10 },
    dialects: { instagram, tiktok },
  },
  hikerapi: {
    baseUrl: 'https://api.hikerapi.com',
    keyHeader: 'x-access-key',
    accountStatuses: { 401: 'provider-key', 402: 'provider-credits', 403: 'provider-key' },
    // It takes 15 a second.
    rate: { burst: 50, refillEveryMs: 200, spacingMs: 67, concurrency: 10 },
    dialects: { instagram: hikerInstagram },
  },
};
