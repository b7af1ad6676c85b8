import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { createPlatformChain } from '../../../core/platforms/platform-chain.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import { TIKTOK, TIKTOK_LINK } from './shown.ts';
import { FAST_READS, simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

platformContract({
  ...TIKTOK,
  name: 'TikTok, own reader and then a data provider',
  open: simulatedStage({
    platform: 'tiktok',
    link: TIKTOK_LINK,
    open: (simulator) =>
      createPlatformChain([
        { name: 'own', platform: createTikTokPlatform({ baseUrl: simulator.tiktokBaseUrl, ...FAST_READS }) },
        {
          name: 'provider',
          platform: createDataProviderPlatform({
            platform: 'tiktok',
            key: SIMULATED_PROVIDER_KEY,
            baseUrl: simulator.dataProviderBaseUrl,
            ...FAST_READS,
          }),
        },
      ]),
  }),
});
