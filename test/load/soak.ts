/** A busy host for long: reads, sweeps, rewards and batches at the same time. Nothing fails or gets lost, and memory stays. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { type Aim, alone, type Bench, type BenchRow, MILLISECONDS, median, type Unit } from '../bench/measure.ts';
import { startSimulator } from '../bench/support.ts';
import { listen } from '../support/listen.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';

/** Reads a second: a host that is busy, not one that is drowned. */
const READ_RATE = 200;
const SAMPLES = 20;
const SETTLE_MS = 30_000;
const MEGABYTES: Unit = { name: 'MB', better: 'lower' };

export const soakBench: Bench = {
  title: 'A host under load, with sweeps and deliveries beside it (SQLite)',
  async run({ quick, progress }) {
    // Shorter than five minutes the heap is not collected often enough for resident memory to say anything.
    const seconds = quick ? 2 : 600;
    const comments = quick ? 500 : 2_000;
    await using simulator = await startSimulator({ posts: 1, comments });
    await using receiver = await startCountingReceiver();
    await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl });
    const scene = await setScene(host, receiver.url, simulator.ready.urls[0] ?? '');
    const work = startWork(host, scene, comments);
    host.begin();
    const headers = { authorization: `Bearer ${host.token}` };
    const requests = scene.reads.map((path) => ({ method: 'GET' as const, path }));
    const load = { connections: 8, overallRate: READ_RATE, duration: seconds, headers, requests };
    const reading = autocannon({ url: host.baseUrl, ...load });
    const rss: number[] = [];
    const heap: number[] = [];
    for (let sample = 1; sample <= SAMPLES; sample += 1) {
      await sleep((seconds * 1_000) / SAMPLES);
      rss.push((await host.figures()).rss);
      if (sample % (SAMPLES / 2) === 0) heap.push(await host.liveHeap());
      progress(`${sample} of ${SAMPLES}`);
    }
    const reads = await reading;
    const events = await work.stop();
    await untilDelivered(receiver.count, events);
    const { lateP99, lateMax } = await host.figures();
    const failed = reads.errors + reads.timeouts + reads.non2xx;
    if (failed > 0 || reads['2xx'] === 0) throw new Error(`${failed} of ${reads.requests.sent} reads failed.`);
    if (receiver.count() !== events) throw new Error(`${receiver.count()} of ${events} events were delivered.`);
    if (host.stderr() !== '') throw new Error(`The host logged warnings: ${host.stderr().slice(0, 500)}`);
    const quarter = SAMPLES / 4;
    const [early, late] = [rss.slice(quarter, 2 * quarter), rss.slice(-quarter)].map(median);
    return [
      alone({ name: 'reads, p99', unit: MILLISECONDS }, [reads.latency.p99]),
      alone({ name: 'event loop held up, p99', unit: MILLISECONDS, aim: { of: 'figure', atMost: 50 } }, [lateP99]),
      alone({ name: 'event loop held up, longest', unit: MILLISECONDS, aim: { of: 'figure', atMost: 250 } }, [lateMax]),
      growth('heap after a collection', heap, { of: 'difference', atMost: 16 }),
      growth('resident memory', [early ?? 0, late ?? 0], { of: 'difference', atMost: 48 }),
    ];
  },
};

function growth(name: string, bytes: readonly number[], aim: Aim): BenchRow {
  const [early = 0, late = 0] = bytes.map((each) => each / 1e6);
  const ratio = late / early;
  const reference = { name: 'earlier', figure: early };
  return { name, unit: MEGABYTES, figure: late, reference, ratio, spread: [ratio, ratio], aim };
}

interface Data<T> {
  readonly data: T;
}

interface Scene {
  readonly campaignId: number;
  readonly challengeId: number;
  readonly reads: readonly string[];
}

async function setScene(host: HostProcess, receiverUrl: string, targetUrl: string): Promise<Scene> {
  const { data: brand } = await host.call<Data<{ id: number }>>('POST', '/admin/brands', { name: 'S', slug: 'soak' });
  await host.call('POST', `/admin/brands/${brand.id}/webhooks`, {
    url: receiverUrl,
    events: ['creator.verified', 'reward.issued'],
  });
  const { data } = await host.call<Data<{ campaign: { id: number }; challenge: { id: number } }>>(
    'POST',
    '/admin/campaigns',
    { brandId: brand.id, title: 'Soak', pointsReward: 5, challenge: { targetUrl } },
  );
  const [campaignId, challengeId] = [data.campaign.id, data.challenge.id];
  await host.call('POST', `/admin/challenges/${challengeId}/comments/refresh`);
  const reads = [
    `/campaigns/${campaignId}`,
    '/campaigns?limit=10',
    `/admin/challenges/${challengeId}/comments?limit=20`,
    `/admin/campaigns/${campaignId}/summary`,
    `/admin/campaigns/${campaignId}/results?limit=20`,
    '/readyz',
  ];
  return { campaignId, challengeId, reads };
}

/** Rewards, sweeps and batches, each at its own pace, until it is stopped. */
function startWork(host: HostProcess, { campaignId, challengeId }: Scene, comments: number) {
  const stopping = new AbortController();
  const challenge = `/admin/challenges/${challengeId}`;
  let [creators, rewarded, sweeps, batches] = [0, 0, 0, 0];

  async function repeat(everyMs: number, run: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      await run();
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function rewardOne(): Promise<void> {
    creators += 1;
    const externalId = `soak-${creators}`;
    await host.call('POST', '/social-accounts', { externalId, platform: 'tiktok', handle: `soak.${creators}` });
    const { data } = await host.call<Data<{ id: number }>>('POST', `${challenge}/attempts`, { externalId });
    await host.call('POST', `${challenge}/attempts/${data.id}/force-verify`);
    rewarded += 1;
  }

  async function sweep(): Promise<void> {
    const { data } = await host.call<Data<{ totalFetched: number; historyComplete: boolean }>>(
      'POST',
      `${challenge}/comments/refresh`,
    );
    const isWhole = data.totalFetched === comments && data.historyComplete;
    if (!isWhole) throw new Error(`A sweep ended with ${JSON.stringify(data)}.`);
    sweeps += 1;
  }

  async function batch(): Promise<void> {
    await host.call('POST', `/admin/campaigns/${campaignId}/verify-and-reward`);
    batches += 1;
  }

  const loops = Promise.all([repeat(100, rewardOne), repeat(2_000, sweep), repeat(3_000, batch)]);
  // Told by `stop`.
  loops.catch(() => undefined);
  return {
    /** Returns how many events follow: a verification and a reward for everybody. */
    async stop(): Promise<number> {
      stopping.abort();
      await loops;
      if (rewarded * sweeps * batches === 0) throw new Error('The host had too little to do.');
      return rewarded * 2;
    },
  };
}

async function untilDelivered(count: () => number, events: number): Promise<void> {
  const deadline = performance.now() + SETTLE_MS;
  while (count() < events && performance.now() < deadline) await sleep(50);
}

/** Counts distinct messages and keeps nothing else of them. */
async function startCountingReceiver() {
  const seen = new Set<string>();
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      seen.add(String(request.headers['webhook-id']));
      response.writeHead(204).end();
    });
  });
  const listening = await listen(server);
  return { ...listening, url: `${listening.url}/hook`, count: () => seen.size };
}
