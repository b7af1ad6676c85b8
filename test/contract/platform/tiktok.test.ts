import { createTikTokPlatform, tiktokDescriptor } from '../../../adapters/tiktok/index.ts';
import { simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

platformContract({
  name: 'TikTok',
  descriptor: tiktokDescriptor,
  open: simulatedStage({
    platform: 'tiktok',
    link: { url: 'https://vm.tiktok.com/ZMabc1234/', path: '/ZMabc1234' },
    open: ({ tiktokBaseUrl }) => createTikTokPlatform({ baseUrl: tiktokBaseUrl, pacing: 'off' }),
  }),
  unknownContentId: '7123456789012345678',
  kinds: { all: ['video', 'photo'], album: 'photo' },
  foreignLinks: [
    'https://www.tiktok.com/@someone',
    'https://www.instagram.com/share/p/BAabc/',
    'https://vm.tiktok.com.example/ZMabc/',
    'http://127.0.0.1/ZMabc',
    'file:///etc/passwd',
    '',
  ],
});
