import { z } from 'zod';
import { callTimeout, type Rate, type ScrapedPlatformOptions, scrapingOptions, webUrl } from '../scraping/index.ts';

/** What an HTTP header can carry. */
export const youtubeApiKey = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be printable ASCII without spaces');

/** Checks `YouTubePlatformOptions` and fills in the defaults. */
export const youtubeOptionsSchema = z.strictObject({
  ...scrapingOptions,
  apiKey: youtubeApiKey,
  /** @default 'https://www.googleapis.com' */
  baseUrl: webUrl.default('https://www.googleapis.com'),
  /** @default 30_000 */
  timeoutMs: callTimeout.default(30_000),
});

/** How YouTube is read: by its official Data API v3. */
export interface YouTubeOptions extends Omit<ScrapedPlatformOptions, 'proxyUrl' | 'userAgent'> {
  /**
   * A key of the YouTube Data API v3, from the Google Cloud console. Sent as the header `X-Goog-Api-Key`, to `baseUrl` only. A
   * page of comments or a profile costs one unit of the key's daily quota, a video two.
   */
  readonly apiKey: string;
}

/** Everything that the reader of YouTube takes. */
export type YouTubePlatformOptions = z.input<typeof youtubeOptionsSchema>;

/** The quota is a day's; this keeps a runaway loop from spending it within minutes. */
export const RATES = {
  api: { burst: 50, refillEveryMs: 200, spacingMs: 1, concurrency: 10 },
} as const satisfies Record<string, Rate>;
