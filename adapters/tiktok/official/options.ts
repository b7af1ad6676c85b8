import { z } from 'zod';
import { officialOptions } from '../../official/index.ts';
import type { Rate } from '../../scraping/index.ts';

/** Checks `OfficialAppOptions` and fills in the defaults. */
export const officialTikTokOptionsSchema = z.strictObject(officialOptions);

export type OfficialTikTokSettings = z.output<typeof officialTikTokOptionsSchema>;

/** 40 in a minute, of which 30 come back: never more in any minute. */
const PER_ACCOUNT = { burst: 10, refillEveryMs: 2_000, spacingMs: 1, concurrency: 4 } as const satisfies Rate;

/** 40 in a minute for an account and endpoint, 600 for the app. */
export const RATES = {
  'official-videos': PER_ACCOUNT,
  'official-comments': PER_ACCOUNT,
  'official-replies': PER_ACCOUNT,
  'official-login': PER_ACCOUNT,
  all: { burst: 100, refillEveryMs: 120, spacingMs: 1, concurrency: 50 },
} as const satisfies Record<string, Rate>;
