import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import type { PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { SpecifiedPlatform } from '../../support/platforms.ts';
import { INSTAGRAM, INSTAGRAM_LINK, TIKTOK, TIKTOK_LINK } from './shown.ts';
import { FAST_READS, simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

const open =
  (platform: SpecifiedPlatform, name: 'scrapecreators' | 'hikerapi' = 'scrapecreators') =>
  ({ dataProviderBaseUrl: baseUrl }: PlatformSimulator): Platform =>
    createDataProviderPlatform({ name, platform, key: SIMULATED_PROVIDER_KEY, baseUrl, ...FAST_READS });

for (const provider of ['scrapecreators', 'hikerapi'] as const) {
  platformContract({
    ...INSTAGRAM,
    name: `Instagram through a data provider (${provider})`,
    open: simulatedStage({
      platform: 'instagram',
      link: INSTAGRAM_LINK,
      open: open('instagram', provider),
    }),
    followsShortLinks: false,
    tellsTotals: provider === 'hikerapi',
  });
}

platformContract({
  ...TIKTOK,
  name: 'TikTok through a data provider',
  open: simulatedStage({
    platform: 'tiktok',
    link: TIKTOK_LINK,
    open: open('tiktok'),
  }),
  followsShortLinks: false,
});
