/** The platform simulator as a process of its own, with TikTok posts to read. */
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { handleOf } from './seed.ts';

export interface SimulatorSetup {
  readonly posts: number;
  /** Of each post. */
  readonly comments: number;
  /** So many more comments, one each by the handles of `handleOf`; none by default. */
  readonly authors?: number;
  /** How long a page of comments takes; at once by default. */
  readonly latencyMs?: number;
}

export interface SimulatorReady {
  readonly baseUrl: string;
  readonly instagramBaseUrl: string;
  readonly urls: readonly string[];
}

const { posts, comments, authors = 0, latencyMs } = JSON.parse(process.argv[2] ?? '') as SimulatorSetup;
const world = createWorld('bench');
if (latencyMs !== undefined) {
  world.failures.add({ platform: 'tiktok', endpoint: 'comments', shape: 'slow', latencyMs });
}
const placed = Array.from({ length: authors }, (_, index) => ({ handle: handleOf(index) }));
const urls = Array.from({ length: posts }, () => {
  const post = world.addPost({ platform: 'tiktok', owner: 'northtrail', comments, placed });
  return `https://www.tiktok.com/@${post.owner.handle}/video/${post.contentId}`;
});
const simulator = await createPlatformSimulator({ world });
const ready: SimulatorReady = {
  baseUrl: simulator.tiktokBaseUrl,
  instagramBaseUrl: simulator.instagramBaseUrl,
  urls,
};
process.send?.(ready);
process.once('disconnect', () => void simulator.close());
