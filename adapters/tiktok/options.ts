import { z } from 'zod';
import { attemptTimeout, callTimeout, type Rate, scrapingOptions, webUrl } from '../scraping/index.ts';

/**
 * Signs a request to TikTok's JSON API. Takes the absolute URL and resolves to the one to send: the same origin and path, with
 * whatever the signature adds to the query (`msToken`, `X-Bogus`). Works without; bring one when TikTok starts to insist.
 */
export type SignRequest = (url: string) => Promise<string>;

export const tiktokOptionsSchema = z.strictObject({
  ...scrapingOptions,
  /** Where TikTok is; a simulator's address in tests. Short links of `vm.` and `vt.` are then asked there too. */
  baseUrl: webUrl.default('https://www.tiktok.com'),
  /** See `createUndiciTransport`. */
  proxyUrl: z.url().optional(),
  /** The API takes 20 to 50 without a signature. */
  commentsPerPage: z.number().int().min(1).max(50).default(50),
  /** Limit of one port call whose caller sets no deadline. */
  timeoutMs: callTimeout.default(30_000),
  attemptTimeoutMs: attemptTimeout.default(15_000),
  /** The web app's id in API queries. */
  appId: z
    .string()
    .regex(/^\d{1,20}$/, 'must be digits only')
    .default('1988'),
  userAgent: z
    .string()
    .min(1)
    .default(
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    ),
  /** Short links answer with a redirect to the makers of link previews, and with a page to browsers. */
  linkPreviewUserAgent: z.string().min(1).default('facebookexternalhit/1.1'),
  sign: z.custom<SignRequest>((value) => typeof value === 'function', 'expected a function').optional(),
});

export type TikTokPlatformOptions = z.input<typeof tiktokOptionsSchema>;
export type TikTokSettings = z.output<typeof tiktokOptionsSchema>;

/** Endpoint classes: HTML pages, the comment API, short links. */
export const TIKTOK_RATES = {
  page: { burst: 5, refillEveryMs: 3000, spacingMs: 1500, concurrency: 1 },
  comments: { burst: 20, refillEveryMs: 2000, spacingMs: 1500, concurrency: 1 },
  'short-link': { burst: 5, refillEveryMs: 3000, spacingMs: 1500, concurrency: 1 },
} as const satisfies Record<string, Rate>;
