/** A simulator with adapters of one platform pointed at it. */
import type { PostRef } from '../../core/platforms/post-url.ts';
import type { Platform } from '../../core/ports/platform.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { World, WorldPost, WorldProfile } from '../../hosts/platform-simulator/world.ts';
import type { FailureRuleInput, PostInput, ProfileInput } from '../../hosts/platform-simulator/world-inputs.ts';
import { postRef, type SpecifiedPlatform } from './platforms.ts';

export interface SimulatedPlatform<P extends Platform, O> {
  readonly world: World;
  /** A fresh adapter: no cookies, closed circuit. */
  platform(options?: O): P;
  addPost(input?: Partial<PostInput>): { readonly post: WorldPost; readonly ref: PostRef };
  addProfile(input: Omit<ProfileInput, 'platform'>): WorldProfile;
  fail(rule: Omit<FailureRuleInput, 'platform'>): void;
  /** Requests since the last reset, by endpoint. */
  requests(): Readonly<Record<string, number>>;
  /** Ends every failure and forgets the requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function simulatePlatform<P extends Platform, O>(
  platform: SpecifiedPlatform,
  owner: string,
  open: (simulator: PlatformSimulator, options: O | undefined) => P,
): Promise<SimulatedPlatform<P, O>> {
  const simulator = await createPlatformSimulator();
  const { world } = simulator;
  const opened: P[] = [];
  return {
    world,
    platform(options) {
      const created = open(simulator, options);
      opened.push(created);
      return created;
    },
    addPost(input = {}) {
      const post = world.addPost({ platform, owner, ...input });
      return { post, ref: postRef(platform, post.contentId, post.owner.handle) };
    },
    addProfile: (input) => world.addProfile({ platform, ...input }),
    fail: (rule) => void world.failures.add({ platform, ...rule }),
    requests: () =>
      Object.fromEntries(
        Object.entries(world.requestCounts()).map(([key, count]) => [key.replace(`${platform} `, ''), count]),
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
