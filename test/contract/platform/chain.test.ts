import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import { createTikTokPlatform, tiktokDescriptor } from '../../../adapters/tiktok/index.ts';
import { createPlatformChain } from '../../../core/platforms/platform-chain.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import { simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

platformContract({
  name: 'TikTok, own reader and then a data provider',
  descriptor: tiktokDescriptor,
  open: simulatedStage({
    platform: 'tiktok',
    link: { url: 'https://vm.tiktok.com/ZMabc1234/', path: '/ZMabc1234' },
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
  }),
  unknownContentId: '7123456789012345678',
  kinds: { all: ['video', 'photo'], album: 'photo' },
  foreignLinks: [
    'https://www.tiktok.com/@someone',
    'https://www.instagram.com/share/p/BAabc/',
    'http://127.0.0.1/Z',
    '',
  ],
});
