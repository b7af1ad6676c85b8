import { createInstagramPlatform } from '../../../adapters/instagram/index.ts';
import { INSTAGRAM, INSTAGRAM_LINK } from './shown.ts';
import { FAST_READS, simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

platformContract({
  ...INSTAGRAM,
  name: 'Instagram, logged out',
  open: simulatedStage({
    platform: 'instagram',
    link: INSTAGRAM_LINK,
    open: ({ instagramBaseUrl }) => createInstagramPlatform({ baseUrl: instagramBaseUrl, ...FAST_READS }),
  }),
  tellsReplyCounts: false,
});

platformContract({
  ...INSTAGRAM,
  name: 'Instagram, with a session',
  open: simulatedStage({
    platform: 'instagram',
    link: INSTAGRAM_LINK,
    open: ({ instagramBaseUrl, world }) => {
      world.sessions.set('42%3Aalive', 'live');
      return createInstagramPlatform({ baseUrl: instagramBaseUrl, ...FAST_READS, sessionIds: ['42%3Aalive'] });
    },
  }),
});
