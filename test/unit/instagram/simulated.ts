/** A simulator with Instagram adapters pointed at it, for the tests of this folder. */
import { createInstagramPlatform, type InstagramPlatformOptions } from '../../../adapters/instagram/index.ts';
import { simulatePlatform } from '../../support/simulated-platform.ts';

export const SESSION = '42%3Aalive';

export async function simulateInstagram() {
  const simulated = await simulatePlatform(
    'instagram',
    'nat.geo',
    ({ instagramBaseUrl: baseUrl }, options?: InstagramPlatformOptions) =>
      createInstagramPlatform({ baseUrl, pacing: 'off', ...options }),
  );
  simulated.world.sessions.set(SESSION, 'live');
  return {
    ...simulated,
    /** An adapter with a live session. */
    loggedIn: (options?: InstagramPlatformOptions) => simulated.platform({ sessionIds: [SESSION], ...options }),
  };
}
