import { createTikTokPlatform } from '../../../adapters/tiktok/index.ts';
import { TIKTOK, TIKTOK_LINK } from './shown.ts';
import { FAST_READS, simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

platformContract({
  ...TIKTOK,
  name: 'TikTok',
  open: simulatedStage({
    platform: 'tiktok',
    link: TIKTOK_LINK,
    open: ({ tiktokBaseUrl }) => createTikTokPlatform({ baseUrl: tiktokBaseUrl, ...FAST_READS }),
  }),
});
