/** How long a probe of `/healthz` waits while a host with very many rows serves requests and sweeps (SQLite). */
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { startHostProcess } from '../load/host-process.ts';
import { alone, type Bench, type BenchRow, MILLISECONDS, timed } from './measure.ts';
import { sqlitePlace, startSimulator, storeCampaign, storeComments, storeCreators } from './support.ts';

const CONNECTIONS = 8;
const PROBE_EVERY_MS = 20;

interface Size {
  readonly comments: number;
  readonly creators: number;
  readonly seconds: number;
}

export const healthzBench: Bench = {
  title: '/healthz while all lists are read and a post is swept (SQLite)',
  async run({ quick, progress }) {
    const sizes: readonly Size[] = quick
      ? [{ comments: 200, creators: 100, seconds: 0.5 }]
      : [
          { comments: 100_000, creators: 100_000, seconds: 20 },
          { comments: 1_000_000, creators: 100_000, seconds: 20 },
        ];
    const rows: BenchRow[] = [];
    for (const size of sizes) {
      progress(`${size.comments} comments`);
      rows.push(await measure(size));
    }
    return rows;
  },
};

async function measure({ comments, creators, seconds }: Size): Promise<BenchRow> {
  await using simulator = await startSimulator({ posts: 1, comments: 2_000 });
  await using place = await sqlitePlace();
  const { campaign, challenge } = await storeCampaign(place.storage, simulator.ready.urls[0]);
  await storeComments(place.storage, challenge.id, comments);
  await storeCreators(place.storage, creators);
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl, STORAGE_URL: place.url });
  const list = `/admin/challenges/${challenge.id}/comments`;
  const last = Math.floor(comments / 100);
  const paths = [
    '/campaigns',
    `/admin/campaigns/${campaign.id}/results`,
    `/admin/campaigns/${campaign.id}/summary`,
    `${list}?limit=100`,
    `${list}?limit=100&page=${Math.ceil(last / 2)}`,
    '/admin/creators?limit=100',
    '/admin/audit-log',
  ];
  const waits: number[] = [];
  let isOver = false;
  const probe = async () => {
    while (!isOver) {
      waits.push(
        await timed(async () => {
          const answer = await fetch(`${host.baseUrl}/healthz`);
          if (!answer.ok) throw new Error(`/healthz answered ${answer.status}.`);
          await answer.text();
        }),
      );
      await sleep(PROBE_EVERY_MS);
    }
  };
  const probing = probe();
  const headers = { authorization: `Bearer ${host.token}` };
  const requests = paths.map((path) => ({ method: 'GET' as const, path }));
  const [load] = await Promise.all([
    autocannon({ url: host.baseUrl, connections: CONNECTIONS, duration: seconds, headers, requests, timeout: 60 }),
    host.call('POST', `${list}/refresh`),
    host.call('POST', `/admin/campaigns/${campaign.id}/verify-and-reward`),
  ]);
  isOver = true;
  await probing;
  if (load['2xx'] === 0 || load.non2xx > 0) throw new Error(`${load.non2xx} requests of the load failed.`);
  const sorted = waits.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const name = `p99 with ${comments.toLocaleString('en')} comments and ${creators.toLocaleString('en')} creators`;
  return alone({ name, unit: MILLISECONDS, aim: { of: 'figure', atMost: 100 } }, [p99]);
}
