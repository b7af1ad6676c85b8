/** Binds the stateless reads once. Routes and the API in process take them from here. */

import { type ReadBatchDeps, readBatch } from './read-batch.ts';
import { type LookupDeps, readComments } from './read-comments.ts';
import { readPost, readThumbnail } from './read-post.ts';
import { readProfile } from './read-profile.ts';

export type LookupsDeps = LookupDeps & Omit<ReadBatchDeps, 'readPost'>;

export type Lookups = ReturnType<typeof createLookups>;

export function createLookups(deps: LookupsDeps) {
  const post = readPost(deps);
  return {
    thumbnail: readThumbnail(deps),
    post,
    posts: readBatch({ ...deps, readPost: post }),
    comments: readComments(deps),
    profile: readProfile(deps),
  };
}
