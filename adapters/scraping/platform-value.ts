/** A scraped platform as a value for `createCredence`. */
import type { PlatformDescriptor } from '../../core/platforms/descriptor.ts';
import type { PlatformAdapter, PlatformContext } from '../../core/platforms/platform-adapter.ts';
import type { Platform } from '../../core/ports/platform.ts';
import type { LimiterConnection, PacingMode } from './pacing.ts';

/** Most of them only wait for the pace, which bounds the requests: more than it lets through in the time of one batch. */
const PACED_LOOKUPS = 100;

/** What an instance lends to readers that are built on the scraping client. */
export interface ScrapingContext extends PlatformContext {
  readonly limiterConnection?: LimiterConnection | undefined;
}

/** What a reader takes of it as options. */
export function lentOptions({ clock, random, logger, limiterConnection }: ScrapingContext): ScrapingContext {
  return { clock, random, logger, limiterConnection };
}

/** The value of a platform that `createReader` makes the reader of. */
export function scrapedPlatform(
  descriptor: PlatformDescriptor,
  pacing: PacingMode,
  createReader: (context: ScrapingContext) => Platform,
): PlatformAdapter {
  return {
    descriptor,
    create: (context) => createReader(lentOptions(context)),
    ...(pacing === 'off' ? {} : { maxConcurrentLookups: PACED_LOOKUPS }),
  };
}
