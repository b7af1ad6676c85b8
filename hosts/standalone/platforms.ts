/** The platforms that the standalone host knows: those of the specification, and others once they are configured. */
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { Environment } from './environment.ts';

/** The platforms besides those of the specification. One that is not configured is not loaded. */
export async function furtherPlatforms(env: Environment): Promise<readonly PlatformAdapter[]> {
  if (env.YOUTUBE_API_KEY === undefined) return [];
  const { youtube } = await import('../../adapters/youtube/index.ts');
  return [
    youtube({
      apiKey: env.YOUTUBE_API_KEY,
      pacing: env.SCRAPER_PACING as 'safe' | 'off' | undefined,
    }),
  ];
}
