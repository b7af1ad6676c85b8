/** A paid provider of platform data (ScrapeCreators, HikerAPI) as a source of Instagram or TikTok. */
import { checkOptions } from '../../core/configuration-error.ts';
import type { PlatformSourceAdapter } from '../../core/platforms/with-sources.ts';
import { lentOptions, type ScrapingContext } from '../scraping/index.ts';
import { type DataProviderSourceOptions, dataProviderOptionsSchema } from './options.ts';
import { createDataProviderPlatform } from './platform.ts';

export {
  type DataProviderOptions,
  type DataProviderSourceOptions,
  dataProviderKey,
  dataProviderOptionsSchema,
  readsPlatform,
} from './options.ts';
export { createDataProviderPlatform } from './platform.ts';

/**
 * The provider as a source for `withSources`, under the name `provider`.
 * @throws ConfigurationError that names the option
 */
export function dataProvider(options: DataProviderSourceOptions): PlatformSourceAdapter {
  checkOptions('dataProvider', dataProviderOptionsSchema, options);
  return {
    name: 'provider',
    create: (context: ScrapingContext) =>
      createDataProviderPlatform({ ...options, ...lentOptions(context), usage: context.usage }),
  };
}
