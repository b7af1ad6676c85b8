import { createInstagramPlatform, instagramDescriptor } from '../../../adapters/instagram/index.ts';
import { simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

const link = { url: 'https://www.instagram.com/share/reel/BAabc123/?igsh=x', path: '/share/reel/BAabc123' };
const shared = {
  descriptor: instagramDescriptor,
  unknownContentId: 'DAAAAAAAAAA',
  kinds: { all: ['video', 'image', 'carousel'], album: 'carousel' },
  foreignLinks: [
    'https://www.instagram.com/someone/',
    'https://vm.tiktok.com/ZMabc/',
    'https://www.instagram.com.example/share/p/x',
    'http://127.0.0.1/share/p/x',
    'file:///etc/passwd',
    '',
  ],
} as const;

platformContract({
  ...shared,
  name: 'Instagram, logged out',
  open: simulatedStage({
    platform: 'instagram',
    link,
    open: ({ instagramBaseUrl }) => createInstagramPlatform({ baseUrl: instagramBaseUrl, pacing: 'off' }),
  }),
  tellsReplyCounts: false,
});

platformContract({
  ...shared,
  name: 'Instagram, with a session',
  open: simulatedStage({
    platform: 'instagram',
    link,
    open: ({ instagramBaseUrl, world }) => {
      world.sessions.set('42%3Aalive', 'live');
      return createInstagramPlatform({ baseUrl: instagramBaseUrl, pacing: 'off', sessionIds: ['42%3Aalive'] });
    },
  }),
});
