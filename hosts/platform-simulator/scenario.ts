/** A ready-made world: what the demo plays its campaign in, and what `npm run simulator` serves. */
import type { PlatformName } from 'credence/kit';
import { createWorld, type World, type WorldPost } from './world.ts';

export interface ScenarioCreator {
  readonly platform: PlatformName;
  readonly handle: string;
  /** How the creator took part in the campaign of the platform. */
  readonly part: 'comment' | 'reply' | 'none';
  readonly commentText: string | null;
}

export interface ScenarioPost {
  readonly platform: PlatformName;
  readonly contentId: string;
  readonly url: string;
  /** Top-level comments, and replies to them. */
  readonly comments: number;
  readonly replies: number;
}

/** The world of `createScenario`, and what is in it. */
export interface Scenario {
  readonly world: World;
  /** Thousands of comments and threaded replies. */
  readonly instagramPost: ScenarioPost;
  readonly tiktokPost: ScenarioPost;
  readonly creators: readonly ScenarioCreator[];
  /** An Instagram session that works; replies and likers need one. */
  readonly instagramSessionId: string;
  /** Further addresses worth asking for, each with what to expect. */
  readonly samples: readonly { readonly url: string; readonly expect: string }[];
}

/** What `createScenario` takes. */
export interface ScenarioOptions {
  /** Another seed gives other ids, names and numbers. @default 'credence' */
  readonly seed?: string;
  /** Top-level comments of the Instagram post. */
  readonly instagramComments?: number;
}

const COMMENT = 'Loving the new trail shoes! #trailday';
const REPLY = 'Same here, count me in #trailday';

/** Builds the demo's world. The same options always give the same ids, names and numbers. */
export function createScenario(options: ScenarioOptions = {}): Scenario {
  const world = createWorld(options.seed ?? 'credence');
  const comments = options.instagramComments ?? 4000;
  const instagramSessionId = '70000000001%3Asimulated%3A1';
  world.sessions.set(instagramSessionId, 'live');

  const instagram = world.addPost({
    platform: 'instagram',
    owner: 'northtrail',
    kind: 'image',
    caption: 'The new trail shoes are here. Tell us where you will run them! #trailday',
    comments,
    replies: { every: 50, count: 8 },
    likers: 400,
    placedLikers: ['ada.runs'],
    placed: [
      { handle: 'ada.runs', text: COMMENT, index: Math.floor(comments / 3) },
      { handle: 'ben_outdoors', text: REPLY, index: Math.floor(comments / 2), asReply: true },
    ],
  });
  const tiktok = world.addPost({
    platform: 'tiktok',
    owner: 'northtrail',
    caption: 'POV: first kilometre in the new trail shoes #trailday',
    comments: 180,
    replies: { every: 20, count: 3 },
    placed: [{ handle: 'dana.moves', text: COMMENT, index: 120 }],
  });
  for (const handle of ['ada.runs', 'ben_outdoors', 'cleo_quiet']) {
    world.addProfile({ platform: 'instagram', handle, bio: 'Outside, mostly.' });
  }
  world.addProfile({ platform: 'tiktok', handle: 'dana.moves', bio: 'Outside, mostly.' });

  const photo = world.addPost({ platform: 'tiktok', owner: 'northtrail', kind: 'photo', caption: 'Five colours' });
  const gone = world.addPost({ platform: 'tiktok', owner: 'northtrail', caption: 'Taken down' });
  const restricted = world.addPost({ platform: 'instagram', owner: 'northtrail', caption: 'For adults' });
  world.failures.add({ platform: 'tiktok', contentId: gone.contentId, shape: 'status-deleted' });
  world.failures.add({ platform: 'instagram', contentId: restricted.contentId, shape: 'age-restricted' });
  world.addShortLink({ platform: 'tiktok', path: '/t/ZTtrail01', target: `/@northtrail/video/${tiktok.contentId}` });

  return {
    world,
    instagramPost: describe(instagram),
    tiktokPost: describe(tiktok),
    creators: [
      { platform: 'instagram', handle: 'ada.runs', part: 'comment', commentText: COMMENT },
      { platform: 'instagram', handle: 'ben_outdoors', part: 'reply', commentText: REPLY },
      { platform: 'instagram', handle: 'cleo_quiet', part: 'none', commentText: null },
      { platform: 'tiktok', handle: 'dana.moves', part: 'comment', commentText: COMMENT },
    ],
    instagramSessionId,
    samples: [
      { url: instagram.url, expect: `a post with ${instagram.thread.total} comments and replies` },
      { url: tiktok.url, expect: `a video with ${tiktok.thread.total} comments and replies` },
      { url: photo.url.replace('/video/', '/photo/'), expect: 'a photo post' },
      { url: 'https://www.tiktok.com/t/ZTtrail01/', expect: 'a short link to the video' },
      { url: gone.url, expect: 'POST_NOT_FOUND' },
      { url: restricted.url, expect: 'POST_AGE_RESTRICTED' },
    ],
  };
}

function describe({ platform, contentId, url, thread }: WorldPost): ScenarioPost {
  return { platform, contentId, url, comments: thread.size, replies: thread.total - thread.size };
}
