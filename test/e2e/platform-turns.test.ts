/** On a platform's own rate: one caller with hundreds of waiting reads keeps no other waiting. */
import { expect, it } from 'vitest';
import { createDataProviderPlatform } from '../../adapters/data-provider/index.ts';
import { createUndiciTransport } from '../../adapters/scraping/index.ts';
import { SIMULATED_PROVIDER_KEY } from '../../hosts/platform-simulator/data-provider/site.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { postRef } from '../support/platforms.ts';

it('reads the first post of a caller before hundreds that another caller asked for first', async () => {
  const simulator = await createPlatformSimulator();
  const transport = createUndiciTransport();
  const sent: string[] = [];
  const platform = createDataProviderPlatform({
    platform: 'tiktok',
    key: SIMULATED_PROVIDER_KEY,
    baseUrl: simulator.dataProviderBaseUrl,
    pacing: 'safe',
    transport(request) {
      sent.push(request.url);
      return transport.send(request);
    },
  });
  try {
    const [greedy, other] = ['greedy', 'other'].map((owner) => {
      const { contentId } = simulator.world.addPost({ platform: 'tiktok', owner });
      return postRef('tiktok', contentId, owner);
    });
    if (greedy === undefined || other === undefined) throw new Error('The posts are missing.');
    const leave = new AbortController();
    const deadline = new Date(Date.now() + 3_600_000);
    const many = Array.from({ length: 500 }, () =>
      platform.getPost(greedy, { caller: 'token:1', deadline, signal: leave.signal }).catch(() => undefined),
    );
    expect((await platform.getPost(other, { caller: 'token:2' })).contentId).toBe(other.contentId);
    const before = sent.findIndex((url) => url.includes(other.contentId));
    // Every second turn is the other caller's; the whole burst of the first one is much larger.
    expect(before).toBeLessThanOrEqual(3);
    leave.abort();
    await Promise.all(many);
  } finally {
    await platform.close();
    await transport.close();
    await simulator.close();
  }
});
