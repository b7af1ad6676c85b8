import { createYouTubePlatform, youtubeDescriptor } from '../../../adapters/youtube/index.ts';
import { channelIdOf, threadIdOf } from '../../../hosts/platform-simulator/youtube/shapes.ts';
import { SIMULATED_YOUTUBE_KEY } from '../../../hosts/platform-simulator/youtube/site.ts';
import { FAST_READS, simulatedStage } from './simulated-stage.ts';
import { platformContract } from './suite.ts';

platformContract({
  name: 'YouTube',
  descriptor: youtubeDescriptor,
  open: simulatedStage({
    platform: 'youtube',
    open: ({ youtubeBaseUrl: baseUrl }) =>
      createYouTubePlatform({ baseUrl, apiKey: SIMULATED_YOUTUBE_KEY, ...FAST_READS }),
    accountId: channelIdOf,
    commentId: ({ id, parentId }) => (parentId === null ? threadIdOf(id) : `${threadIdOf(parentId)}.${id}`),
    profile: { isVerified: null, isPrivate: false, followingCount: null },
    post: { mediaUrls: [] },
  }),
  unknownContentId: 'AAAAAAAAAAA',
  foreignLinks: [
    'https://www.youtube.com/@someone',
    'https://www.youtube.com/playlist?list=PLabc',
    'https://www.tiktok.com/t/ZTabc/',
    'https://youtube.com.example/watch?v=AAAAAAAAAAA',
    'http://127.0.0.1/watch?v=AAAAAAAAAAA',
    'file:///etc/passwd',
    '',
  ],
  // The API answers about age-restricted videos too, and about private ones as about those that do not exist.
  permanent: { 'not-found': 'POST_NOT_FOUND', private: 'POST_NOT_FOUND' },
  hasPrivateProfiles: false,
  tellsTotals: false,
});
