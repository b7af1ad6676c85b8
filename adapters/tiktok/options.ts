import { z } from 'zod';
import {
  browserUserAgent,
  callTimeout,
  DEFAULT_USER_AGENT,
  type Rate,
  type ScrapedPlatformOptions,
  scrapingOptions,
  webUrl,
} from '../scraping/index.ts';

/**
 * Signs a request to TikTok's JSON API. Gets the absolute URL and the user agent that the request is sent with, and resolves to
 * the URL to send. That has the same origin and path, with what the signature adds to the query (`msToken`, `X-Bogus`, `X-Gnarly`).
 * `signal` fires at the call's deadline. A signer that rejects, or that changes origin or path, makes the call fail with
 * `PLATFORM_UNAVAILABLE` (`sign-failed`). TikTok answers without a signature at present; set one when it insists.
 */
export type SignRequest = (
  url: string,
  context: { readonly userAgent: string; readonly signal: AbortSignal },
) => Promise<string>;

/** Checks `TikTokPlatformOptions` and fills in the defaults. */
export const tiktokOptionsSchema = z.strictObject({
  ...scrapingOptions,
  /** Where TikTok is; a simulator's address in tests. Short links of `vm.` and `vt.` are then asked there too. @default 'https://www.tiktok.com' */
  baseUrl: webUrl.default('https://www.tiktok.com'),
  /** `{session}` in it stands for a key of the identity, for providers with sticky addresses. */
  proxyUrl: webUrl.optional(),
  /** Limit of one port call whose caller sets no deadline. @default 30_000 */
  timeoutMs: callTimeout.default(30_000),
  /** The web app's id in API queries. */
  appId: z
    .string()
    .regex(/^\d{1,20}$/, 'must be digits only')
    .default('1988'),
  userAgent: browserUserAgent.default(DEFAULT_USER_AGENT),
  sign: z.custom<SignRequest>((value) => typeof value === 'function', 'expected a function').optional(),
});

/** How TikTok is read. */
export interface TikTokOptions extends ScrapedPlatformOptions {
  /** `aid` of the web app in requests for comments. */
  readonly appId?: string | undefined;
  /** Signs requests to the API, for example with `X-Bogus`. */
  readonly sign?: SignRequest | undefined;
}

/** Everything that `createTikTokPlatform` takes. */
export type TikTokPlatformOptions = z.input<typeof tiktokOptionsSchema>;
/** The options with their defaults. */
export type TikTokSettings = z.output<typeof tiktokOptionsSchema>;

/** Endpoint classes: HTML pages, the comment API, short links. */
export const TIKTOK_RATES = {
  page: { burst: 5, refillEveryMs: 3000, spacingMs: 1500, concurrency: 1 },
  comments: { burst: 20, refillEveryMs: 2000, spacingMs: 1500, concurrency: 1 },
  'short-link': { burst: 5, refillEveryMs: 3000, spacingMs: 1500, concurrency: 1 },
} as const satisfies Record<string, Rate>;
