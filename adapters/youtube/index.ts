/** YouTube's videos and Shorts behind the `Platform` port, by the official Data API v3. */
import { checkOptions } from '../../core/configuration-error.ts';
import { isDomainError } from '../../core/errors.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { PostRef } from '../../core/platforms/post-url.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import type { Platform } from '../../core/ports/platform.ts';
import {
  type CallTime,
  createReader,
  createScrapingClient,
  type JsonObject,
  type ReadPost,
  scrapedPlatform,
  textPosition,
  type Verdict,
} from '../scraping/index.ts';
import { isAboutKey, readAnswer, type Subject } from './answers.ts';
import { readChannel, readOwner } from './channel.ts';
import { readPage, TOP_LEVEL_ID } from './comments.ts';
import { youtubeDescriptor } from './descriptor.ts';
import { RATES, type YouTubeOptions, type YouTubePlatformOptions, youtubeOptionsSchema } from './options.ts';
import { isVideoId } from './post-url.ts';
import { readVideo } from './video.ts';

export { youtubeDescriptor } from './descriptor.ts';
export {
  type YouTubeOptions,
  type YouTubePlatformOptions,
  youtubeApiKey,
  youtubeOptionsSchema,
} from './options.ts';

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

const SOURCE = 'youtube-api';
/** The most that the API gives. */
const PAGE_SIZE = '100';

/**
 * YouTube by its official Data API v3. Likers are `NOT_SUPPORTED`: YouTube shows them to nobody. Comments that are turned off are
 * `POST_UNAVAILABLE` with the reason `comments-disabled`. A spent quota is `SCRAPING_RATE_LIMITED` until it is given again. A rejected key is `PLATFORM_UNAVAILABLE` with the reason `api-key` and an error in the log.
 * @throws ZodError that names the option
 */
export function createYouTubePlatform(options: YouTubePlatformOptions): Platform {
  const { client, ask } = createApi(options);

  async function readPost(time: CallTime, post: PostRef): Promise<ReadPost> {
    const query = { part: 'snippet,statistics', id: post.contentId };
    const { channelId, channelTitle, ...video } = await ask(time, 'videos', query, 'video', (body) =>
      readVideo(body, post.contentId),
    );
    const owner = await ask(time, 'channels', { part: 'snippet', id: channelId }, 'owner', (body) =>
      readOwner(body, channelId),
    );
    return { ...video, owner: { ...owner, displayName: owner.displayName ?? channelTitle } };
  }

  return createReader({
    client,
    descriptor: youtubeDescriptor,
    source: SOURCE,
    isPost: ({ contentId }) => isVideoId(contentId),
    commentId: TOP_LEVEL_ID,
    position: textPosition,
    readPost,
    readComments(time, { contentId: videoId }, place) {
      const { parentId, after } = place;
      const [resource, list] =
        parentId === null
          ? (['commentThreads', { part: 'snippet,replies', videoId, order: 'time' }] as const)
          : (['comments', { part: 'snippet', parentId }] as const);
      const at: Record<string, string> = after === null ? {} : { pageToken: after };
      const query = { ...list, maxResults: PAGE_SIZE, textFormat: 'plainText', ...at };
      return ask(time, resource, query, 'comments', (body) => readPage(body, videoId, place));
    },
    readLikers: 'YouTube shows to nobody who liked a video; use a comment challenge there.',
    readProfile(time, handle) {
      const query = { part: 'snippet,statistics', forHandle: `@${handle}` };
      return ask(time, 'channels', query, 'channel', (body) => readChannel(body, handle));
    },
  });
}

/** The Data API with our key. */
function createApi(options: YouTubePlatformOptions) {
  const settings = youtubeOptionsSchema.parse(options);
  const clock = settings.clock ?? systemClock;
  const logger = settings.logger ?? silentLogger;
  const client = createScrapingClient({
    ...settings,
    platform: youtubeDescriptor,
    rates: RATES,
    // In a header, since URLs are logged and seen by proxies.
    headers: { accept: 'application/json', 'x-goog-api-key': settings.apiKey },
  });

  async function ask<T>(
    time: CallTime,
    resource: string,
    query: Readonly<Record<string, string>>,
    subject: Subject,
    read: (body: JsonObject) => Verdict<T>,
  ): Promise<T> {
    try {
      return await client.call(time, {
        // One class for all: the quota and the rate belong to the key. Each resource fails on its own.
        endpoint: 'api' satisfies keyof typeof RATES,
        kind: resource,
        as: 'anonymous',
        request: { url: `/youtube/v3/${resource}?${new URLSearchParams(query)}` },
        read: (response) => {
          const answer = readAnswer(response, subject, clock);
          return answer.kind === 'ok' ? read(answer.value) : answer;
        },
      });
    } catch (error) {
      if (isDomainError(error) && isAboutKey(error)) logger.error({ platform: 'youtube' }, error.message);
      throw error;
    }
  }

  return { client, ask };
}
