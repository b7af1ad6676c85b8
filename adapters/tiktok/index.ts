/** TikTok behind the `Platform` port. */
export { readCommentPage } from './comments.ts';
export { type SignRequest, type TikTokPlatformOptions, tiktokOptionsSchema } from './options.ts';
export { tiktokOwnership } from './ownership-rules.ts';
export { createTikTokPlatform } from './platform.ts';
export { readProfile as readProfilePage } from './profile.ts';
export { readStatus } from './status.ts';
