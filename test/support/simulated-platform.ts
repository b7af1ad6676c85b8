/** A simulator with adapters of one platform pointed at it. */
import type { Platform } from '../../core/ports/platform.ts';
import { createPlatformSimulator, type PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import type { FailureRuleInput, PostInput, ProfileInput } from '../../hosts/platform-simulator/world-inputs.ts';
import { postRef, type SpecifiedPlatform } from './platforms.ts';

export async function simulatePlatform<P extends Platform, O>(
  platform: SpecifiedPlatform,
  owner: string,
  open: (simulator: PlatformSimulator, options: O | undefined) => P,
) {
  const simulator = await createPlatformSimulator();
  const { world } = simulator;
  const opened: P[] = [];
  return {
    world,
    /** A fresh adapter: no cookies, closed circuit. */
    platform(options?: O) {
      const created = open(simulator, options);
      opened.push(created);
      return created;
    },
    addPost(input: Partial<PostInput> = {}) {
      const post = world.addPost({ platform, owner, ...input });
      return { post, ref: postRef(platform, post.contentId, post.owner.handle) };
    },
    addProfile: (input: Omit<ProfileInput, 'platform'>) => world.addProfile({ platform, ...input }),
    fail: (rule: Omit<FailureRuleInput, 'platform'>) => void world.failures.add({ platform, ...rule }),
    /** Requests since the last reset, by endpoint. */
    requests: (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        Object.entries(world.requestCounts()).map(([key, count]) => [key.replace(`${platform} `, ''), count]),
      ),
    /** Ends every failure and forgets the requests. */
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
