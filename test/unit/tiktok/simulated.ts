/** A simulator with a TikTok adapter pointed at it, for the tests of this folder. */

import { createTikTokPlatform, type TikTokPlatformOptions } from '../../../adapters/tiktok/index.ts';
import type { PostRef } from '../../../core/platforms/post-url.ts';
import type { Platform } from '../../../core/ports/platform.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import type { World, WorldPost } from '../../../hosts/platform-simulator/world.ts';
import type { PostInput } from '../../../hosts/platform-simulator/world-inputs.ts';
import { postRef } from '../../support/platforms.ts';

export interface SimulatedTikTok {
  readonly simulator: PlatformSimulator;
  readonly world: World;
  /** A fresh adapter: no cookies, closed circuit. */
  platform(options?: TikTokPlatformOptions): Platform;
  addPost(input?: Partial<PostInput>): { readonly post: WorldPost; readonly ref: PostRef };
  close(): Promise<void>;
}

export async function simulateTikTok(): Promise<SimulatedTikTok> {
  const simulator = await createPlatformSimulator();
  const opened: Platform[] = [];
  return {
    simulator,
    world: simulator.world,
    platform(options = {}) {
      const platform = createTikTokPlatform({ baseUrl: simulator.tiktokBaseUrl, pacing: 'off', ...options });
      opened.push(platform);
      return platform;
    },
    addPost(input = {}) {
      const post = simulator.world.addPost({ platform: 'tiktok', owner: 'mia', ...input });
      return { post, ref: postRef('tiktok', post.contentId, post.owner.handle) };
    },
    async close() {
      await Promise.all(opened.map((platform) => platform.close()));
      await simulator.close();
    },
  };
}
