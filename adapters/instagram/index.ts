/** Instagram behind the `Platform` port: the logged-out web pages, and the web's own API where a session is configured. */
import { checkOptions } from '../../core/configuration-error.ts';
import type { PlatformAdapter } from '../../core/platforms/platform-adapter.ts';
import type { Platform, SessionStatus } from '../../core/ports/platform.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import { browserHeaders, createReader, createScrapingClient, scrapedPlatform } from '../scraping/index.ts';
import { askedPost, askedProfile } from './asked.ts';
import { createContext } from './context.ts';
import { position } from './cursor.ts';
import { instagramDescriptor } from './descriptor.ts';
import { type InstagramOptions, type InstagramPlatformOptions, instagramOptionsSchema } from './options.ts';
import { RATES } from './rates.ts';
import { readComments } from './read-comments.ts';
import { readLikers } from './read-likers.ts';
import { readPost } from './read-post.ts';
import { readProfile } from './read-profile.ts';
import { readReplies } from './read-replies.ts';
import { followShareLink } from './share-link.ts';
import { shortcodeToPk } from './shortcode.ts';

export { isAgeRestriction } from './age-restriction.ts';
export { readCommentList } from './comment-list.ts';
export { readPosition } from './cursor.ts';
export { instagramDescriptor } from './descriptor.ts';
export { findQueried, isQueried, readQueried } from './media.ts';
export { officialInstagram } from './official/index.ts';
export { type OfficialInstagramOptions, officialInstagramOptionsSchema } from './official/options.ts';
export {
  type InstagramDocIds,
  type InstagramOptions,
  type InstagramPlatformOptions,
  instagramOptionsSchema,
} from './options.ts';
export { isOfAnotherPost } from './post-address.ts';
export { numberOf, readProfileFields, readWebProfile } from './profile-fields.ts';
export { readLikerList } from './read-likers.ts';
export { pkToShortcode, shortcodeToPk } from './shortcode.ts';

/** Instagram, read with or without sessions. */
export interface InstagramPlatform extends Platform {
  sessionStates(): readonly SessionStatus[];
}

/**
 * Instagram as a value for `createCredence`.
 *
 *     createCredence({ platforms: [instagram({ sessionIds: [process.env.INSTAGRAM_SESSION ?? ''] })] });
 *
 * @throws ConfigurationError that names the option
 */
export function instagram(options: InstagramOptions = {}): PlatformAdapter {
  const settings = checkOptions('instagram', instagramOptionsSchema, options);
  return scrapedPlatform(instagramDescriptor, settings.pacing, (context) =>
    createInstagramPlatform({ ...settings, ...context }),
  );
}

/**
 * Makes the adapter; connects to nothing yet.
 * @throws ZodError that names the option
 */
export function createInstagramPlatform(options: InstagramPlatformOptions = {}): InstagramPlatform {
  const settings = instagramOptionsSchema.parse(options);
  const random = settings.random ?? systemRandom;
  const client = createScrapingClient({
    ...settings,
    platform: instagramDescriptor,
    sessions: settings.sessionIds.map((id) => sessionCookies(id, random.bytes(16))),
    sessionCookie: 'sessionid',
    rates: RATES,
    headers: browserHeaders(settings.userAgent),
    random,
  });
  const context = createContext(client, settings, random);

  return {
    ...createReader({
      client,
      descriptor: instagramDescriptor,
      source: 'instagram-api',
      isPost: ({ contentId }) => shortcodeToPk(contentId) !== null,
      commentId: /^\d{1,30}$/,
      position,
      readPost: (time, post) => readPost(askedPost(context, time, post)),
      readComments(time, ref, { parentId, after }) {
        const post = askedPost(context, time, ref);
        if (parentId === null) return readComments(post, after);
        return readReplies(post, parentId, typeof after === 'string' ? null : after);
      },
      readLikers: (time, post, maxCount) => readLikers(askedPost(context, time, post), maxCount),
      readProfile: (time, handle) => readProfile(askedProfile(context, time, handle)),
      followLink: (time, url) => followShareLink(client, time, url),
    }),
    sessionStates: () => client.sessionStates(),
  };
}

/** The API wants the CSRF cookie and header to agree; it takes any value that both hold. */
function sessionCookies(sessionId: string, csrf: Uint8Array): Record<string, string> {
  const userId = /^\d{1,20}/.exec(sessionId)?.[0];
  return {
    sessionid: sessionId,
    csrftoken: Buffer.from(csrf).toString('hex'),
    ...(userId === undefined ? {} : { ds_user_id: userId }),
  };
}
