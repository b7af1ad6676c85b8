/** YouTube's videos and Shorts behind the `Platform` port, by the official Data API v3. */
import { checkOptions } from '../../core/configuration-error.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import { scrapedPlatform } from '../scraping/index.ts';
import { youtubeDescriptor } from './descriptor.ts';
import { type YouTubeOptions, youtubeOptionsSchema } from './options.ts';
import { createYouTubePlatform } from './platform.ts';

export { youtubeDescriptor } from './descriptor.ts';
export {
  type YouTubeOptions,
  type YouTubePlatformOptions,
  youtubeApiKey,
  youtubeOptionsSchema,
} from './options.ts';
export { createYouTubePlatform } from './platform.ts';

/**
 * YouTube as a value for `createCredence`.
 *
 *     createCredence({ platforms: [instagram(), tiktok(), youtube({ apiKey: process.env.YOUTUBE_API_KEY ?? '' })] });
 *
 * @throws ConfigurationError that names the option
 */
export function youtube(options: YouTubeOptions): PlatformAdapter {
  const settings = checkOptions('youtube', youtubeOptionsSchema, options);
  return scrapedPlatform(youtubeDescriptor, settings.pacing, (context) =>
    createYouTubePlatform({ ...settings, ...context }),
  );
}
