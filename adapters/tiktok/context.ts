/** What every reader of this adapter is handed. */
import { browserHeaders, createScrapingClient, type ScrapingClient } from '../scraping/index.ts';
import { tiktokDescriptor } from './descriptor.ts';
import { TIKTOK_RATES, type TikTokSettings } from './options.ts';
import { SHORT_LINK_HOSTS } from './post-url.ts';

export interface TikTokContext {
  readonly client: ScrapingClient;
  readonly settings: TikTokSettings;
  /** Where TikTok is for us, without a slash at the end. */
  readonly baseUrl: string;
}

export function createContext(settings: TikTokSettings): TikTokContext {
  const baseUrl = settings.baseUrl.replace(/(?<!\/)\/+$/, '');
  const client = createScrapingClient({
    ...settings,
    platform: tiktokDescriptor,
    baseUrl,
    hosts: SHORT_LINK_HOSTS,
    rates: TIKTOK_RATES,
    headers: browserHeaders(settings.userAgent),
  });
  return { client, settings, baseUrl };
}
