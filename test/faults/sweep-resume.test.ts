/** A host dies in the middle of a sweep that a request asked for; the next one continues where it stopped. */
import { expect, it, vi } from 'vitest';
import { clientOf, make } from './claim.ts';
import { killHostsAfterAll, openGround, startFaultyHost } from './host-process.ts';

const COMMENTS = 2_000;
/** As they are asked for, 50 at a time. */
const PAGES = COMMENTS / 50;
const PAGES_BEFORE_CRASH = 10;
/** Pages read and not stored when the host dies, and the look at the newest comments with which a sweep continues. */
const READ_TWICE = 12;

async function dieInSweep(): Promise<void> {
  await using ground = await openGround('sqlite');
  const { env, simulator } = ground;
  const { world } = simulator;
  let host = await startFaultyHost(env);
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
  const pagesOf = () => world.requestCounts()['tiktok comments'] ?? 0;
  world.failures.add({ platform: 'tiktok', endpoint: 'comments', shape: 'slow', latencyMs: 20 });
  const refresh = before.call('POST', `${comments}/refresh`).catch(() => undefined);
  await vi.waitFor(() => expect(pagesOf()).toBeGreaterThanOrEqual(PAGES_BEFORE_CRASH), {
    timeout: 60_000,
    interval: 5,
  });
  await host.arm({ call: 'comments.insertNew', when: 'after' });
  expect(await host.ended(), host.log()).toBe('SIGKILL');
  await refresh;
  world.failures.clear();

  host = await startFaultyHost(env);
  const after = clientOf(host.baseUrl);
  await vi.waitFor(
    async () => {
      const { json } = await after.call('GET', `${comments}?limit=1`);
      expect(Number(json.pagination?.total)).toBe(COMMENTS);
    },
    { timeout: 60_000, interval: 100 },
  );
  // Reading again would have taken every page once more.
  expect(pagesOf()).toBeLessThanOrEqual(PAGES + READ_TWICE);
}

killHostsAfterAll();

// With MongoDB, and several hosts: three-hosts.test.ts.
it('a sweep is finished by the next host, from the page it had reached', dieInSweep, 240_000);
