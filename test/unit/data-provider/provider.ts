/** Readers of a data provider, for the tests of this folder. */
import { createDataProviderPlatform, type DataProviderOptions } from '../../../adapters/data-provider/index.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import type { SpecifiedPlatform } from '../../support/platforms.ts';
import { simulatePlatform } from '../../support/simulated-platform.ts';
import { answeringTransport } from '../scraping/scripted-transport.ts';

type Provider = NonNullable<DataProviderOptions['name']>;

/** The simulator's. */
export const simulateProvider = (platform: SpecifiedPlatform, name: Provider = 'scrapecreators') =>
  simulatePlatform(
    platform,
    'maker.one',
    ({ dataProviderBaseUrl: baseUrl }, options?: Partial<DataProviderOptions>): Platform =>
      createDataProviderPlatform({ name, platform, key: SIMULATED_PROVIDER_KEY, baseUrl, pacing: 'off', ...options }),
  );

/** One that answers everything with this body. */
export function answering(
  platform: SpecifiedPlatform,
  status: number,
  body: unknown,
  name: Provider = 'scrapecreators',
): Platform {
  const transport = answeringTransport(() => ({ status, body }));
  return createDataProviderPlatform({ name, platform, key: 'k', pacing: 'off', transport });
}
