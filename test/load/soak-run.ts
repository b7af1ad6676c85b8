/** The load of the soak test, and what it finds. */
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { median } from '../bench/measure.ts';
import { startSimulator } from '../bench/support.ts';
import { listen } from '../support/listen.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';
import type { Delay, Figures } from './watch.ts';

export interface SoakOptions {
  readonly seconds: number;
  /** In the thread that is swept; 2,000 by default. */
  readonly comments?: number;
  /** False: too short to say anything about memory and delays. */
  readonly judgeFigures: boolean;
  /** The longest time that the event loop may be held up at once. */
  readonly maxStallMs: number;
  readonly onFigures?: (figures: SoakFigures) => void;
}

export interface SoakFigures extends Figures {
  readonly second: number;
  readonly requests: number;
  readonly delivered: number;
}

/** Bytes. */
export interface EarlyAndLate {
  readonly early: number;
  readonly late: number;
}

export interface SoakReport {
  readonly requests: number;
  readonly requestsPerSecond: number;
  readonly latencyP99: number;
  readonly sweeps: number;
  readonly batches: number;
  readonly expectedEvents: number;
  readonly delivered: number;
  readonly delay: Delay;
  /** Median of the second and of the last quarter of the time. */
  readonly rss: EarlyAndLate;
  /** What a collection leaves, halfway and at the end, under load both times. */
  readonly heap: EarlyAndLate;
  /** Empty when all is well. */
  readonly problems: readonly string[];
}

const COMMENTS = 2_000;
/** Reads a second over this many connections: a host that is busy, not one that is drowned. */
const READ_RATE = 200;
const READ_CONNECTIONS = 8;
const MAX_DELAY_P99_MS = 50;
/** What memory may grow by between early and late. */
const MAX_GROWTH = 1.15;
const MAX_GROWTH_BYTES = 16 * 2 ** 20;
/** Before that, the heap has not been collected often enough for resident memory to say anything. */
const RSS_SETTLES_SECONDS = 300;
const SETTLE_MS = 30_000;

interface Data<T> {
  readonly data: T;
}

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seconds, comments = COMMENTS, judgeFigures, maxStallMs, onFigures } = options;
  await using simulator = await startSimulator({ posts: 1, comments });
  await using receiver = await startCountingReceiver();
  await using host = await startHostProcess({ TIKTOK_BASE_URL: simulator.ready.baseUrl });
  const scene = await setScene(host, receiver.url, simulator.ready.urls[0] ?? '');
  const problems: string[] = [];
  const problem = (text: string) => {
    if (problems.length < 20) problems.push(text);
  };
  const work = startWork(host, { ...scene, comments }, problem);
  const samples: SoakFigures[] = [];
  const liveHeap: number[] = [];
  host.begin();
  let requests = 0;
  const reads = readSteadily(host, scene.reads, seconds, () => {
    requests += 1;
  });
  const every = Math.max(1, Math.min(10, seconds / 20));
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  while (elapsed() + every <= seconds) {
    await sleep(every * 1_000);
    const figures = { ...(await host.figures()), second: Math.round(elapsed()), requests, delivered: receiver.count() };
    samples.push(figures);
    onFigures?.(figures);
    const isLast = elapsed() + every > seconds;
    if (isLast || (liveHeap.length === 0 && elapsed() >= seconds / 2)) liveHeap.push(await host.liveHeap());
  }
  const result = await reads;
  const done = await work.stop();
  await untilDelivered(receiver.count, done.events);
  const { delayOfAll: delay } = await host.figures();

  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) problem(`${failed} of ${result.requests.sent} reads failed`);
  if (receiver.count() !== done.events) problem(`${receiver.count()} of ${done.events} events were delivered`);
  if (host.stderr() !== '') problem(`the host logged warnings: ${host.stderr().slice(0, 500)}`);
  const quarter = Math.floor(samples.length / 4);
  const early = samples.slice(quarter, 2 * quarter);
  const late = samples.slice(samples.length - quarter);
  const over = (of: (part: readonly SoakFigures[]) => number): EarlyAndLate => ({ early: of(early), late: of(late) });
  const rss = over((part) => median(part.map((figures) => figures.rss)));
  const heap: EarlyAndLate = { early: liveHeap[0] ?? 0, late: liveHeap.at(-1) ?? 0 };
  if (judgeFigures && delay.p99 >= MAX_DELAY_P99_MS) problem(`the event loop was held up: p99 ${delay.p99} ms`);
  if (judgeFigures && delay.max > maxStallMs) problem(`the event loop was held up for ${delay.max} ms at once`);
  if (judgeFigures && grew(heap)) problem('the heap grew');
  if (judgeFigures && seconds >= RSS_SETTLES_SECONDS && grew(rss)) problem('resident memory grew');
  return {
    requests,
    requestsPerSecond: requests / seconds,
    latencyP99: result.latency.p99,
    ...done.counts,
    expectedEvents: done.events,
    delivered: receiver.count(),
    delay,
    rss,
    heap,
    problems,
  };
}

function grew({ early, late }: EarlyAndLate): boolean {
  return late > early * MAX_GROWTH + MAX_GROWTH_BYTES;
}

function readSteadily(
  host: HostProcess,
  paths: readonly string[],
  seconds: number,
  onAnswer: () => void,
): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: host.baseUrl,
        connections: READ_CONNECTIONS,
        overallRate: READ_RATE,
        duration: seconds,
        headers: { authorization: `Bearer ${host.token}` },
        requests: paths.map((path) => ({ method: 'GET' as const, path })),
      },
      (error, result) => (error ? reject(error) : resolve(result)),
    );
    instance.on('response', onAnswer);
  });
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

/** Sweeps, registrations, claims and batches, each at its own pace, until it is stopped. */
function startWork(
  host: HostProcess,
  { campaignId, challengeId, comments }: Scene & { readonly comments: number },
  problem: (text: string) => void,
) {
  const stopping = new AbortController();
  let [creators, rewarded, sweeps, batches] = [0, 0, 0, 0];

  async function repeat(everyMs: number, run: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await run();
      } catch (error) {
        problem(error instanceof Error ? error.message : String(error));
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function rewardOne(): Promise<void> {
    creators += 1;
    const externalId = `soak-${creators}`;
    await host.call('POST', '/social-accounts', { externalId, platform: 'tiktok', handle: `soak.${creators}` });
    const path = `/admin/challenges/${challengeId}/attempts`;
    const { data: attempt } = await host.call<Data<{ id: number }>>('POST', path, { externalId });
    await host.call('POST', `${path}/${attempt.id}/force-verify`);
    rewarded += 1;
  }

  async function sweep(): Promise<void> {
    const path = `/admin/challenges/${challengeId}/comments/refresh`;
    const { data } = await host.call<Data<{ totalFetched: number; historyComplete: boolean }>>('POST', path);
    if (data.totalFetched !== comments || !data.historyComplete) problem(`a sweep ended with ${JSON.stringify(data)}`);
    sweeps += 1;
  }

  async function batch(): Promise<void> {
    await host.call('POST', `/admin/campaigns/${campaignId}/verify-and-reward`);
    batches += 1;
  }

  const loops = Promise.all([repeat(100, rewardOne), repeat(2_000, sweep), repeat(3_000, batch)]);
  return {
    /** `events`: a verification and a reward for everybody. */
    async stop() {
      stopping.abort();
      await loops;
      return { events: rewarded * 2, counts: { sweeps, batches } };
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
