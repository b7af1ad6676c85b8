/** A host dies in the middle of a sweep that a request asked for; the next one goes on where it stopped. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createTestStorage, eachStorage } from '../support/storage.ts';
import { clientOf, make } from './claim.ts';
import { hostEnvironment, startFaultyHost } from './host-process.ts';

const COMMENTS = 1_000;
/** As they are asked for, 50 at a time. */
const PAGES = COMMENTS / 50;
const SAVES_BEFORE_CRASH = 10;

await eachStorage((kind) => {
  it('a sweep is finished by the next host, from the page it had reached', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
    const [simulator, storage] = await Promise.all([createPlatformSimulator(), createTestStorage(kind)]);
    const { world } = simulator;
    const env = hostEnvironment(storage.url, folder, simulator);
    let host = await startFaultyHost(env);
    try {
      const post = world.addPost({ platform: 'tiktok', owner: 'northtrail', comments: COMMENTS });
      const before = clientOf(host.baseUrl);
      const brand = await make(before, '/admin/brands', { name: 'Brand', slug: 'brand' });
      const { challenge } = await make(before, '/admin/campaigns', {
        brandId: brand.id,
        title: 'Autumn',
        pointsReward: 1,
        challenge: {
          targetUrl: `https://www.tiktok.com/@northtrail/video/${post.contentId}`,
          instructionText: 'Comment',
        },
      });
      const comments = `/admin/challenges/${challenge?.id}/comments`;
      // One save a page, and some that tell that the sweep lives.
      await host.arm({ call: 'comments.saveSweep', when: 'after', skip: SAVES_BEFORE_CRASH });
      await before.call('POST', `${comments}/refresh`).catch(() => undefined);
      expect(await host.exited, host.log()).toBe('SIGKILL');
      const pagesOf = () => world.requestCounts()['tiktok comments'] ?? 0;
      const readBefore = pagesOf();
      expect(readBefore).toBeGreaterThan(PAGES / 4);

      host = await startFaultyHost(env);
      const after = clientOf(host.baseUrl);
      await vi.waitFor(
        async () => {
          const { json } = await after.call('GET', `${comments}?limit=1`);
          expect(Number(json.pagination?.total)).toBe(COMMENTS);
        },
        { timeout: 15_000, interval: 100 },
      );
      // What is left, and a look at the newest comments; reading anew would take every page once more.
      expect(pagesOf()).toBeLessThanOrEqual(PAGES + 3);
    } finally {
      await host.kill();
      await storage.close();
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);
});
