import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { createPlatformChain } from '../../../core/platforms/platform-chain.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import { platformContract } from './suite.ts';

platformContract({
  name: 'TikTok, own reader and then a data provider',
  platform: 'tiktok',
  open: (simulator) =>
    createPlatformChain([
      { name: 'own', platform: createTikTokPlatform({ baseUrl: simulator.tiktokBaseUrl, pacing: 'off' }) },
      {
        name: 'provider',
        platform: createDataProviderPlatform({
          platform: 'tiktok',
          key: SIMULATED_PROVIDER_KEY,
          baseUrl: simulator.dataProviderBaseUrl,
          pacing: 'off',
        }),
      },
    ]),
  links: {
    url: 'https://vm.tiktok.com/ZMabc1234/',
    path: '/ZMabc1234',
    foreign: ['https://www.tiktok.com/@someone', 'https://www.instagram.com/share/p/BAabc/', 'http://127.0.0.1/Z', ''],
  },
  tellsReplyCounts: true,
});
