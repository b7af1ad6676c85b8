import { z } from 'zod';
import { normaliseHandle } from '../../core/platforms/handle.ts';
import type { ConfiguredAccount } from '../../core/ports/official-api.ts';
import { callTimeout, type ScrapedPlatformOptions, scrapingOptions, webUrl } from '../scraping/index.ts';

/** The options that every official API takes, for its own schema. */
export const officialOptions = {
  ...scrapingOptions,
  appId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be letters and digits'),
  appSecret: z.string().regex(/^[\x21-\x7e]{1,256}$/, 'must be printable ASCII without spaces'),
  /** @default [] */
  redirectUris: z.array(webUrl).max(100).default([]),
  /** @default [] */
  accounts: z
    .array(
      z.strictObject({
        brandId: z.int().min(1),
        accountId: z.string().regex(/^[\w-]{1,200}$/, 'must be letters, digits, _ and -'),
        handle: z.string().min(1).max(100).transform(normaliseHandle),
        accessToken: z.union([
          z.string().regex(/^[\x21-\x7e]{1,4096}$/, 'must be printable ASCII without spaces'),
          z.custom<() => Promise<string>>((value) => typeof value === 'function', 'expected a function'),
        ]),
      }),
    )
    .max(10_000)
    .default([]),
  baseUrl: webUrl.optional(),
  authorizeUrl: webUrl.optional(),
  /** @default 30_000 */
  timeoutMs: callTimeout.default(30_000),
};

/** The app with which accounts are connected. */
export interface OfficialAppOptions extends Pick<ScrapedPlatformOptions, 'pacing' | 'transport' | 'timeoutMs'> {
  /** The app's id at the platform. */
  readonly appId: string;
  /** The app's secret: it is sent for tokens, and signs what the platform pushes. */
  readonly appSecret: string;
  /**
   * Where owners of accounts may come back to, exactly as they are registered with the platform.
   * @default []
   */
  readonly redirectUris?: readonly string[] | undefined;
  /**
   * Accounts whose tokens the host has and renews itself: nobody has to connect them.
   * @default []
   */
  readonly accounts?: readonly ConfiguredAccount[] | undefined;
  /**
   * Where the API is.
   * @default the platform's own host
   */
  readonly baseUrl?: string | undefined;
  /**
   * The page on which the owner of an account allows the app to read it.
   * @default the platform's own page, or `/oauth/authorize` below `baseUrl` if that is set
   */
  readonly authorizeUrl?: string | undefined;
}
