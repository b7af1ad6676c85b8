/** A post's details straight from its URL; nothing is stored. */

import { platformOf } from '../platforms/platforms.ts';
import type { PlatformCallOptions, PostDetails } from '../ports/platform.ts';
import type { LookupDeps } from './read-comments.ts';

export type ReadPost = (url: string, options?: PlatformCallOptions) => Promise<PostDetails>;

/** @throws DomainError `VALIDATION_ERROR` for a URL that is no post URL, and the failures of the Platform port */
export function readPost(deps: LookupDeps): ReadPost {
  return async (url, options) => {
    const post = await deps.resolvePost(url, options);
    return platformOf(deps.platforms, post.platform).getPost(post, options);
  };
}
