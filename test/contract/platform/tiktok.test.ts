import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { platformContract } from './suite.ts';

platformContract({
  name: 'TikTok',
  platform: 'tiktok',
  open: ({ tiktokBaseUrl }) => createTikTokPlatform({ baseUrl: tiktokBaseUrl, pacing: 'off' }),
  links: {
    url: 'https://vm.tiktok.com/ZMabc1234/',
    path: '/ZMabc1234',
    foreign: [
      'https://www.tiktok.com/@someone',
      'https://www.instagram.com/share/p/BAabc/',
      'https://vm.tiktok.com.example/ZMabc/',
      'http://127.0.0.1/ZMabc',
      'file:///etc/passwd',
      '',
    ],
  },
  tellsReplyCounts: true,
});
