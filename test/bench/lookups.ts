/** A batch of posts, against fetching the same pages with undici and reading nothing of them. */

import { Agent } from 'undici';
import { createTikTokPlatform, tiktokDescriptor } from '../../adapters/tiktok/index.ts';
import { BATCH_MAX_URLS, readBatch } from '../../core/lookups/read-batch.ts';
import { readPost } from '../../core/lookups/read-post.ts';
import { resolvePost } from '../../core/lookups/resolve-post.ts';
import { createLookupPools } from '../../plugins/compose/lookup-pools.ts';
import { platformsOf } from '../support/platforms.ts';
import { type Bench, MILLISECONDS } from './bench.ts';
import { startChild } from './child.ts';
import { sideBySide, timed } from './rounds.ts';
import type { SimulatorReady, SimulatorSetup } from './simulator.ts';

/** Of the platform's transport. */
const CONNECTIONS = 4;

export const lookupsBench: Bench = {
  name: 'lookups',
  title: `Batch lookup of ${BATCH_MAX_URLS} posts against fetching their pages and reading nothing`,
  async run({ quick, progress }) {
    progress('starting the simulator');
    const setup: SimulatorSetup = { posts: BATCH_MAX_URLS, comments: 0 };
    await using simulator = await startChild<SimulatorReady>(new URL('./simulator.ts', import.meta.url), setup);
    const { baseUrl, urls } = simulator.ready;
    const tiktok = createTikTokPlatform({ baseUrl, pacing: 'off' });
    const platforms = platformsOf(tiktok);
    const read = readPost({ platforms, resolvePost: resolvePost({ platforms }) });
    const batch = readBatch({
      readPost: read,
      platforms,
      pools: createLookupPools([{ descriptor: tiktokDescriptor, create: () => tiktok }]),
    });
    const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
    try {
      progress('batches');
      const row = await sideBySide({
        name: `${urls.length} posts`,
        unit: MILLISECONDS,
        subject: () =>
          timed(async () => {
            const { billableUnits } = await batch(urls);
            if (billableUnits !== urls.length)
              throw new Error(`Only ${billableUnits} of ${urls.length} posts were read.`);
          }),
        reference: {
          name: 'undici, same pages',
          measure: () => timed(() => Promise.all(urls.map((url) => fetchPage(agent, baseUrl, new URL(url).pathname)))),
        },
        rounds: quick ? 1 : 15,
      });
      return [row];
    } finally {
      await Promise.all([tiktok.close(), agent.close()]);
    }
  },
};

async function fetchPage(agent: Agent, baseUrl: string, path: string): Promise<void> {
  const answer = await agent.request({
    origin: baseUrl,
    path,
    method: 'GET',
    headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' },
  });
  if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}.`);
  await answer.body.arrayBuffer();
}
