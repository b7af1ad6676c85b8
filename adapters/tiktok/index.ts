/** TikTok behind the `Platform` port. */
export type { SignRequest, TikTokPlatformOptions } from './options.ts';
export { createTikTokPlatform } from './platform.ts';
