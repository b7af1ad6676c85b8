/** A simulator with a TikTok adapter pointed at it, for the tests of this folder. */
import { createTikTokPlatform, type TikTokPlatformOptions } from '../../../adapters/tiktok/index.ts';
import { simulatePlatform } from '../../support/simulated-platform.ts';

export const simulateTikTok = () =>
  simulatePlatform('tiktok', 'mia', ({ tiktokBaseUrl: baseUrl }, options?: TikTokPlatformOptions) =>
    createTikTokPlatform({ baseUrl, pacing: 'off', ...options }),
  );
