import { createInstagramPlatform } from '../../../adapters/instagram/index.ts';
import { platformContract } from './suite.ts';

const links = {
  url: 'https://www.instagram.com/share/reel/BAabc123/?igsh=x',
  path: '/share/reel/BAabc123',
  foreign: [
    'https://www.instagram.com/someone/',
    'https://vm.tiktok.com/ZMabc/',
    'https://www.instagram.com.example/share/p/x',
    'http://127.0.0.1/share/p/x',
    'file:///etc/passwd',
    '',
  ],
};

platformContract({
  name: 'Instagram, logged out',
  platform: 'instagram',
  open: ({ instagramBaseUrl }) => createInstagramPlatform({ baseUrl: instagramBaseUrl, pacing: 'off' }),
  links,
  tellsReplyCounts: false,
});

platformContract({
  name: 'Instagram, with a session',
  platform: 'instagram',
  open: ({ instagramBaseUrl, world }) => {
    world.sessions.set('42%3Aalive', 'live');
    return createInstagramPlatform({ baseUrl: instagramBaseUrl, pacing: 'off', sessionIds: ['42%3Aalive'] });
  },
  links,
  tellsReplyCounts: true,
});
