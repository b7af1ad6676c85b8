/** What an Instagram adapter is made with. Endpoint ids drift every few weeks, so all of them are configuration. */
import { z } from 'zod';
import {
  browserUserAgent,
  callTimeout,
  DEFAULT_USER_AGENT,
  type ScrapedPlatformOptions,
  scrapingOptions,
  webUrl,
} from '../scraping/index.ts';

/** What a cookie's value may hold (RFC 6265, section 4.1.1). */
const cookieValue = z
  .string()
  .regex(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,512}$/, 'must be the value of a cookie');
const docId = z.string().regex(/^\d{6,30}$/, 'must be digits only');

/** Checks `InstagramPlatformOptions` and fills in the defaults. */
export const instagramOptionsSchema = z.strictObject({
  ...scrapingOptions,
  /** Where Instagram is; a simulator in tests. @default 'https://www.instagram.com' */
  baseUrl: webUrl.default('https://www.instagram.com'),
  /** Values of the `sessionid` cookie. Replies and likers need at least one. @default [] */
  sessionIds: z.array(cookieValue).max(100).default([]),
  /** `{session}` in it stands for a key of the identity, for providers with sticky addresses. */
  proxyUrl: webUrl.optional(),
  /** For everything one call does, when its caller sets no deadline. @default 30_000 */
  timeoutMs: callTimeout.default(30_000),
  userAgent: browserUserAgent.default(DEFAULT_USER_AGENT),
  appId: z
    .string()
    .regex(/^\d{6,20}$/, 'must be digits only')
    .default('936619743392459'),
  asbdId: z
    .string()
    .regex(/^\d{3,12}$/, 'must be digits only')
    .default('359341'),
  docIds: z
    .strictObject({
      /** PolarisLoggedOutDesktopWWWPostRootContentQuery; tried in order. */
      post: z.array(docId).min(1).max(5).default(['28309390568695038', '27130156389949648']),
      /** PolarisPostRootQuery, by shortcode. @default '27128499623469141' */
      olderPost: docId.default('27128499623469141'),
      /** PolarisLoggedOutDesktopWWWPostCommentsPaginationQuery. @default '27659279553772821' */
      comments: docId.default('27659279553772821'),
      /** PolarisProfilePageContentQuery, asked with a session. @default '28036671149327607' */
      profile: docId.default('28036671149327607'),
    })
    .prefault({}),
});

/** How Instagram is read. Ids of its endpoints change every few weeks. */
export interface InstagramOptions extends ScrapedPlatformOptions {
  /** `sessionid` cookies for what Instagram hides from visitors: likers and replies. */
  readonly sessionIds?: readonly string[] | undefined;
  /** `X-IG-App-ID` of the web app. */
  readonly appId?: string | undefined;
  /** `X-ASBD-ID` of the web app. */
  readonly asbdId?: string | undefined;
  /** Ids of GraphQL queries. */
  readonly docIds?: InstagramDocIds | undefined;
}

/** Ids of Instagram's GraphQL queries. */
export interface InstagramDocIds {
  /** For a post; tried in order. */
  readonly post?: readonly string[] | undefined;
  /** For a post by shortcode; tried after those. */
  readonly olderPost?: string | undefined;
  /** For the comments of a post. */
  readonly comments?: string | undefined;
  /** For a profile, asked with a session. */
  readonly profile?: string | undefined;
}

/** Everything that `createInstagramPlatform` takes. */
export type InstagramPlatformOptions = z.input<typeof instagramOptionsSchema>;
/** The options with their defaults. */
export type InstagramSettings = z.output<typeof instagramOptionsSchema>;
