/** A paid provider of platform data (ScrapeCreators) as a source of Instagram or TikTok. */
import type { PlatformSourceAdapter } from '../../core/platforms/with-sources.ts';
import type { ScrapingContext } from '../scraping/index.ts';
import { type DataProviderSourceOptions, dataProviderOptionsSchema } from './options.ts';
import { createDataProviderPlatform } from './platform.ts';

export {
  type DataProviderOptions,
  type DataProviderSourceOptions,
  dataProviderKey,
  dataProviderOptionsSchema,
} from './options.ts';
export { createDataProviderPlatform } from './platform.ts';

/**
 * The provider as a source for `withSources`, under the name `provider`.
 * @throws ZodError that names the option
 */
export function dataProvider(options: DataProviderSourceOptions): PlatformSourceAdapter {
  dataProviderOptionsSchema.parse(options);
  return {
    name: 'provider',
    create: (context: ScrapingContext) => createDataProviderPlatform({ ...options, ...context }),
  };
}
