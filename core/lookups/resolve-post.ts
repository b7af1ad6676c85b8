/** From a URL that a user sent to the post it names, asking the platform only for short links. */
import { DomainError } from '../errors.ts';
import { type Platforms, platformOf, type ResolvePost } from '../platforms/platforms.ts';
import { isShortLink, parsePostUrl } from '../platforms/post-url.ts';

export function resolvePost(platforms: Platforms): ResolvePost {
  return async (url, options) => {
    const parsed = parsePostUrl(url);
    if (parsed === null) throw notAPost('The URL is not a post URL of Instagram or TikTok.');
    if (!isShortLink(parsed)) return parsed;
    const target = parsePostUrl(await platformOf(platforms, parsed.platform).resolveShortLink(parsed.url, options));
    // A short link of one platform cannot name a post of the other, nor another short link.
    if (target === null || isShortLink(target) || target.platform !== parsed.platform) {
      throw notAPost('The short link does not lead to a post.');
    }
    return target;
  };
}

function notAPost(message: string): DomainError {
  return new DomainError('VALIDATION_ERROR', `${message} Accepted forms are /p/…, /reel/… and /@user/video/….`);
}
