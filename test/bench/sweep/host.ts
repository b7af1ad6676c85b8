/** One sweep as an operator sees it: a standalone host in its own process, asked over HTTP, its memory watched. */
import { startHostProcess } from '../../load/host-process.ts';
import { type BenchRow, SECONDS, type Unit } from '../bench.ts';
import { startChild } from '../child.ts';
import { alone, timed } from '../rounds.ts';
import type { SimulatorReady, SimulatorSetup } from '../simulator.ts';

const MEGABYTES: Unit = { name: 'MB', better: 'lower' };

interface Data<T> {
  readonly data: T;
}

interface Refreshed {
  readonly totalFetched: number;
  readonly historyComplete: boolean;
}

export async function sweepOfHost(comments: number): Promise<readonly BenchRow[]> {
  const setup: SimulatorSetup = { posts: 1, comments };
  await using simulator = await startChild<SimulatorReady>(new URL('../simulator.ts', import.meta.url), setup);
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl });
  const brand = await host.call<Data<{ id: number }>>('POST', '/admin/brands', { name: 'Bench', slug: 'bench' });
  const { data } = await host.call<Data<{ challenge: { id: number } }>>('POST', '/admin/campaigns', {
    brandId: brand.data.id,
    title: 'Bench',
    pointsReward: 1,
    challenge: { targetUrl: simulator.ready.urls[0] },
  });
  const path = `/admin/challenges/${data.challenge.id}/comments`;
  const before = await host.figures();
  const milliseconds = await timed(async () => {
    const { data: refreshed } = await host.call<Data<Refreshed>>('POST', `${path}/refresh`);
    if (refreshed.totalFetched !== comments || !refreshed.historyComplete) {
      throw new Error(`The sweep ended with ${JSON.stringify(refreshed)}.`);
    }
  });
  const after = await host.figures();
  const { pagination } = await host.call<{ pagination: { total: number } }>('GET', `${path}?limit=1`);
  if (pagination.total !== comments) throw new Error(`${pagination.total} comments are stored.`);
  const of = `${comments.toLocaleString('en')} comments by the standalone host`;
  const growth = (after.highestRss - before.rss) / 2 ** 20;
  return [
    alone({ name: of, unit: SECONDS, aim: { of: 'figure', atMost: 60 } }, [milliseconds / 1_000]),
    alone({ name: 'resident memory grows by', unit: MEGABYTES, aim: { of: 'figure', atMost: 100 } }, [growth]),
  ];
}
