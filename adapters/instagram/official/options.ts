import { z } from 'zod';
import { type OfficialAppOptions, officialOptions } from '../../official/index.ts';
import type { Rate } from '../../scraping/index.ts';

/** Checks `OfficialInstagramOptions` and fills in the defaults. */
export const officialInstagramOptionsSchema = z.strictObject({
  ...officialOptions,
  verifyToken: officialOptions.appSecret,
  /** @default 'instagram' */
  login: z.enum(['instagram', 'facebook']).default('instagram'),
  /** @default 'v23.0' */
  version: z
    .string()
    .regex(/^v\d{1,3}\.\d{1,2}$/, 'must be a version such as v23.0')
    .default('v23.0'),
  /** @default false */
  insights: z.boolean().default(false),
});

/** An app of Meta that reads professional accounts of Instagram through the Graph API. */
export interface OfficialInstagramOptions extends OfficialAppOptions {
  /** The text that Instagram sends when it is told the receiver of its pushes; choose one, and enter it with the app. */
  readonly verifyToken: string;
  /**
   * `facebook` for accounts that are connected by the Page they belong to.
   * @default 'instagram'
   */
  readonly login?: 'instagram' | 'facebook' | undefined;
  /**
   * Of the Graph API.
   * @default 'v23.0'
   */
  readonly version?: string | undefined;
  /**
   * Asks for the permission to read insights, which views are part of. The review of the app has to grant it.
   * @default false
   */
  readonly insights?: boolean | undefined;
}

export type OfficialInstagramSettings = z.output<typeof officialInstagramOptionsSchema>;

/** Instagram counts by the views of an account and says how much is spent; this keeps a runaway loop from spending all of it. */
export const RATES = {
  official: { burst: 50, refillEveryMs: 200, spacingMs: 1, concurrency: 10 },
} as const satisfies Record<string, Rate>;
