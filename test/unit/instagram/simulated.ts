/** A simulator with Instagram adapters pointed at it, for the tests of this folder. */

import {
  createInstagramPlatform,
  type InstagramPlatform,
  type InstagramPlatformOptions,
} from '../../../adapters/instagram/index.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { World, WorldPost } from '../../../hosts/platform-simulator/world.ts';
import type { FailureRuleInput, PostInput } from '../../../hosts/platform-simulator/world-inputs.ts';
import { postRef } from '../../support/platforms.ts';

export const SESSION = '42%3Aalive';

export interface SimulatedInstagram {
  readonly world: World;
  readonly baseUrl: string;
  /** A fresh adapter: no cookies, closed circuit. */
  platform(options?: InstagramPlatformOptions): InstagramPlatform;
  /** One with a live session. */
  loggedIn(options?: InstagramPlatformOptions): InstagramPlatform;
  addPost(input?: Partial<PostInput>): { readonly post: WorldPost; readonly ref: PostRef };
  fail(rule: Omit<FailureRuleInput, 'platform'>): void;
  /** Requests since the last reset, by endpoint. */
  requests(): Readonly<Record<string, number>>;
  /** Ends every failure and forgets the requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function simulateInstagram(): Promise<SimulatedInstagram> {
  const simulator = await createPlatformSimulator();
  const { world } = simulator;
  world.sessions.set(SESSION, 'live');
  const opened: InstagramPlatform[] = [];
  const platform = (options: InstagramPlatformOptions = {}): InstagramPlatform => {
    const created = createInstagramPlatform({ baseUrl: simulator.instagramBaseUrl, pacing: 'off', ...options });
    opened.push(created);
    return created;
  };
  return {
    world,
    baseUrl: simulator.instagramBaseUrl,
    platform,
    loggedIn: (options = {}) => platform({ sessionIds: [SESSION], ...options }),
    addPost(input = {}) {
      const post = world.addPost({ platform: 'instagram', owner: 'nat.geo', ...input });
      return { post, ref: postRef('instagram', post.contentId) };
    },
    fail: (rule) => void world.failures.add({ platform: 'instagram', ...rule }),
    requests: () =>
      Object.fromEntries(
        Object.entries(world.requestCounts()).map(([key, count]) => [key.replace('instagram ', ''), count]),
      ),
    reset() {
      world.failures.clear();
      world.clearRequestCounts();
    },
    async close() {
      await Promise.all(opened.map((each) => each.close()));
      await simulator.close();
    },
  };
}
