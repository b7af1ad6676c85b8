/** From a URL that a user sent to the post it names, asking the platform only for short links. */
import { DomainError } from '../errors.ts';
import { type Platforms, platformOf, type ResolvePost } from '../platforms/platforms.ts';
import { isShortLink } from '../platforms/post-url.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';

/** @throws DomainError `VALIDATION_ERROR` for a URL that names no post, and the failures of the Platform port */
export function resolvePost({ platforms }: { readonly platforms: Platforms }): ResolvePost {
  return async (url, options) => {
    const parsed = platforms.parsePostUrl(url);
    if (parsed === null) {
      const labels = listed(platforms.names.map((name) => platforms.labelOf(name)));
      throw notAPost(platforms, `The URL is not a post URL of ${labels}.`);
    }
    if (!isShortLink(parsed)) return parsed;
    const reader = platformOf(platforms, parsed.platform);
    const target = platforms.parsePostUrl(await reader.resolveShortLink(parsed.url, options));
    // A short link of one platform cannot name a post of another, nor another short link.
    if (target === null || isShortLink(target) || target.platform !== parsed.platform) {
      throw notAPost(platforms, 'The short link does not lead to a post.');
    }
    return target;
  };
}

function notAPost({ postUrlForms }: PlatformRegistry, message: string): DomainError {
  const forms = listed(
    postUrlForms.map(({ shown }) => shown),
    'and',
  );
  return new DomainError('VALIDATION_ERROR', `${message} Accepted forms are ${forms}.`);
}

/** `a, b or c`. */
export function listed(words: readonly string[], last: 'and' | 'or' = 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
