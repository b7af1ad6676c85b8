import { createDataProviderPlatform } from '../../../adapters/data-provider/index.ts';
import { instagramDescriptor } from '../../../adapters/instagram/index.ts';
import { tiktokDescriptor } from '../../../adapters/tiktok/index.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { SIMULATED_PROVIDER_KEY } from '../../../hosts/platform-simulator/data-provider/site.ts';
import type { PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { SpecifiedPlatform } from '../../support/platforms.ts';
import { simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

const open =
  (platform: SpecifiedPlatform, name: 'scrapecreators' | 'hikerapi' = 'scrapecreators') =>
  ({ dataProviderBaseUrl: baseUrl }: PlatformSimulator): Platform =>
    createDataProviderPlatform({ name, platform, key: SIMULATED_PROVIDER_KEY, baseUrl, pacing: 'off' });

for (const provider of ['scrapecreators', 'hikerapi'] as const) {
  platformContract({
    name: `Instagram through a data provider (${provider})`,
    descriptor: instagramDescriptor,
    open: simulatedStage({
      platform: 'instagram',
      link: { url: 'https://www.instagram.com/share/reel/BAabc123/?igsh=x', path: '/share/reel/BAabc123' },
      open: open('instagram', provider),
    }),
    unknownContentId: 'DAAAAAAAAAA',
    kinds: { all: ['video', 'image', 'carousel'], album: 'carousel' },
    foreignLinks: ['https://www.instagram.com/someone/', 'https://vm.tiktok.com/ZMabc/', 'file:///etc/passwd', ''],
    followsShortLinks: false,
    tellsTotals: provider === 'hikerapi',
  });
}

platformContract({
  name: 'TikTok through a data provider',
  descriptor: tiktokDescriptor,
  open: simulatedStage({
    platform: 'tiktok',
    link: { url: 'https://vm.tiktok.com/ZMabc1234/', path: '/ZMabc1234' },
    open: open('tiktok'),
  }),
  unknownContentId: '7123456789012345678',
  kinds: { all: ['video', 'photo'], album: 'photo' },
  foreignLinks: [
    'https://www.tiktok.com/@someone',
    'https://www.instagram.com/share/p/BAabc/',
    'http://127.0.0.1/Z',
    '',
  ],
  followsShortLinks: false,
});
