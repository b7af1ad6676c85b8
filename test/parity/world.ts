/** The posts and profiles that the areas use; the same seed everywhere, so the platforms answer the same everywhere. */

import { createWorld, type World, type WorldPost } from '../../hosts/platform-simulator/world.ts';
import type { ProofWorld } from './proof-world.ts';

export interface ParityWorld {
  readonly world: World;
  readonly proofs: ProofWorld;
  readonly posts: {
    /** Comments of ada.runs and (as a reply) ben_outdoors, liked by ada.runs. */
    readonly instagram: PostOf;
    readonly tiktok: PostOf;
    /** Its pages of comments take several requests. */
    readonly long: PostOf;
    readonly coverless: PostOf;
    readonly deleted: PostOf;
    readonly ageRestricted: PostOf;
    readonly privatePost: PostOf;
    readonly broken: PostOf;
  };
}

export interface PostOf {
  readonly contentId: string;
  readonly url: string;
}

/** One for all hosts and storages, so that they prove the same. */
export function createParityWorld(proofs: ProofWorld): ParityWorld {
  const world = createWorld('parity');
  const instagram = world.addPost({
    platform: 'instagram',
    owner: 'northtrail',
    kind: 'image',
    comments: 30,
    replies: { every: 10, count: 3 },
    likers: 20,
    placedLikers: ['ada.runs'],
    placed: [
      { handle: 'ada.runs', text: 'Count me in!', index: 4 },
      { handle: 'ben_outdoors', text: 'Me too', index: 10, asReply: true },
    ],
  });
  const tiktok = world.addPost({
    platform: 'tiktok',
    owner: 'northtrail',
    comments: 25,
    placed: [{ handle: 'dana.moves', text: 'Here!', index: 3 }],
  });
  const long = world.addPost({ platform: 'tiktok', owner: 'northtrail', comments: 60 });
  const coverless = world.addPost({ platform: 'instagram', owner: 'northtrail', thumbnailUrl: null });
  const deleted = world.addPost({ platform: 'tiktok', owner: 'northtrail' });
  const ageRestricted = world.addPost({ platform: 'instagram', owner: 'northtrail' });
  const privatePost = world.addPost({ platform: 'tiktok', owner: 'northtrail' });
  const broken = world.addPost({ platform: 'tiktok', owner: 'northtrail' });
  world.failures.add({ platform: 'tiktok', contentId: deleted.contentId, shape: 'status-deleted' });
  world.failures.add({ platform: 'instagram', contentId: ageRestricted.contentId, shape: 'age-restricted' });
  world.failures.add({ platform: 'tiktok', contentId: privatePost.contentId, shape: 'private-post' });
  world.failures.add({ platform: 'tiktok', contentId: broken.contentId, shape: 'server-error' });
  world.addShortLink({ platform: 'tiktok', path: '/t/ZTparity1', target: `/@northtrail/video/${tiktok.contentId}` });
  for (const handle of ['ada.runs', 'ben_outdoors', 'cleo_quiet', 'page.owner']) {
    world.addProfile({ platform: 'instagram', handle, bio: 'Outside, mostly.' });
  }
  world.addProfile({ platform: 'tiktok', handle: 'dana.moves', bio: 'Outside, mostly.' });
  return {
    world,
    proofs,
    posts: {
      instagram: describe(instagram),
      tiktok: describe(tiktok),
      long: describe(long),
      coverless: describe(coverless),
      deleted: describe(deleted),
      ageRestricted: describe(ageRestricted),
      privatePost: describe(privatePost),
      broken: describe(broken),
    },
  };
}

function describe({ platform, contentId, owner }: WorldPost): PostOf {
  const url =
    platform === 'instagram'
      ? `https://www.instagram.com/p/${contentId}/`
      : `https://www.tiktok.com/@${owner.handle}/video/${contentId}`;
  return { contentId, url };
}
