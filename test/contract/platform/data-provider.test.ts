import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import type { PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { SpecifiedPlatform } from '../../support/platforms.ts';
import { platformContract } from './suite.ts';

const open =
  (platform: SpecifiedPlatform) =>
  ({ dataProviderBaseUrl }: PlatformSimulator): Platform =>
    createDataProviderPlatform({
      platform,
      key: SIMULATED_PROVIDER_KEY,
      baseUrl: dataProviderBaseUrl,
      pacing: 'off',
    });

platformContract({
  name: 'Instagram through a data provider',
  platform: 'instagram',
  open: open('instagram'),
  links: {
    url: 'https://www.instagram.com/share/reel/BAabc123/?igsh=x',
    path: '/share/reel/BAabc123',
    foreign: ['https://www.instagram.com/someone/', 'https://vm.tiktok.com/ZMabc/', 'file:///etc/passwd', ''],
    areFollowed: false,
  },
  tellsReplyCounts: true,
  tellsTotals: false,
});

platformContract({
  name: 'TikTok through a data provider',
  platform: 'tiktok',
  open: open('tiktok'),
  links: {
    url: 'https://vm.tiktok.com/ZMabc1234/',
    path: '/ZMabc1234',
    foreign: ['https://www.tiktok.com/@someone', 'https://www.instagram.com/share/p/BAabc/', 'http://127.0.0.1/Z', ''],
    areFollowed: false,
  },
  tellsReplyCounts: true,
});
