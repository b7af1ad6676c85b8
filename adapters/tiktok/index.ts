/** TikTok behind the `Platform` port. */
import { checkOptions } from '../../core/configuration-error.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { scrapedPlatform } from '../scraping/index.ts';
import { tiktokDescriptor } from './descriptor.ts';
import { type TikTokOptions, tiktokOptionsSchema } from './options.ts';
import { createTikTokPlatform } from './platform.ts';

export type { OfficialAppOptions as OfficialTikTokOptions } from '../official/index.ts';
export { readCommentPage } from './comments.ts';
export { shownCount } from './counts.ts';
export { tiktokDescriptor } from './descriptor.ts';
export { officialTikTok } from './official/index.ts';
export { officialTikTokOptionsSchema } from './official/options.ts';
export { type SignRequest, type TikTokOptions, type TikTokPlatformOptions, tiktokOptionsSchema } from './options.ts';
export { createTikTokPlatform } from './platform.ts';
export { postOf } from './post.ts';
export { readProfile as readProfilePage } from './profile.ts';
export { readStatus } from './status.ts';

/**
 * TikTok as a value for `createCredence`.
 *
 *     createCredence({ platforms: [tiktok({ proxyUrl: 'http://proxy.example:8080' })] });
 *
 * @throws ConfigurationError that names the option
 */
export function tiktok(options: TikTokOptions = {}): PlatformAdapter {
  const settings = checkOptions('tiktok', tiktokOptionsSchema, options);
  return scrapedPlatform(tiktokDescriptor, settings.pacing, (context) =>
    createTikTokPlatform({ ...settings, ...context }),
  );
}
