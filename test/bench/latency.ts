/** How long readers wait while others read: percentiles of three routes at a steady rate, the load in another process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Bench, type BenchRow, MILLISECONDS } from './bench.ts';
import { startChild } from './child.ts';
import type { Ready, ServerSetup, Subject } from './http/protocol.ts';
import { compared } from './rounds.ts';
import { requireRows } from './rows.ts';

const CONNECTIONS = 32;
/** Requests a second of all routes together: a host that is busy and keeps up. */
const RATE = 150;
const PERCENTILES = [50, 99] as const;

type Latencies = ReadonlyMap<string, readonly number[]>;

export const latencyBench: Bench = {
  name: 'latency',
  title: `Waiting times of readers at ${RATE} requests a second, against bare Fastify`,
  async run({ quick, progress }) {
    const setup: ServerSetup = quick ? { comments: 50, campaigns: 5 } : { comments: 20_000, campaigns: 50 };
    progress('starting the server process');
    await using server = await startChild<Ready>(new URL('./http/server.ts', import.meta.url), setup);
    const { urls, token, campaignId, challengeId } = server.ready;
    const paths = [
      `/campaigns/${campaignId}`,
      '/campaigns?page=1&limit=20',
      `/admin/challenges/${challengeId}/comments`,
    ];
    for (const url of [urls['Credence on Fastify'], urls['bare Fastify']]) {
      for (const path of paths) await requireRows(url + path, token);
    }
    const requests = quick ? 30 : RATE * 4;
    const measure = (subject: Subject) => load(urls[subject], token, paths, requests);
    const rounds: { readonly subject: Latencies; readonly reference: Latencies }[] = [];
    for (let round = quick ? 1 : 0; round <= (quick ? 1 : 5); round += 1) {
      progress(`round ${round}`);
      const first = round % 2 === 0 ? await measure('bare Fastify') : undefined;
      const subject = await measure('Credence on Fastify');
      const reference = first ?? (await measure('bare Fastify'));
      // The first round warms up.
      if (round > 0) rounds.push({ subject, reference });
    }
    return paths.flatMap((path) =>
      PERCENTILES.map(
        (percent): BenchRow =>
          compared(
            {
              name: `p${percent} of GET ${path.replace(/\d+/, 'N').replace(/\?.*/, '')}`,
              unit: MILLISECONDS,
              reference: 'bare Fastify',
            },
            rounds.map(({ subject, reference }) => ({
              subject: percentile(subject.get(path) ?? [], percent),
              reference: percentile(reference.get(path) ?? [], percent),
            })),
          ),
      ),
    );
  },
};

/** Sends each request at its time, whatever became of those before it: waiting behind a slow one counts. */
async function load(url: string, token: string, paths: readonly string[], requests: number): Promise<Latencies> {
  const pool = new Pool(url, { connections: CONNECTIONS });
  const latencies = new Map<string, number[]>(paths.map((path) => [path, []]));
  const started = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < requests; index += 1) {
    const due = started + (index * 1_000) / RATE;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    const path = paths[index % paths.length] ?? '';
    const one = async () => {
      const { statusCode, body } = await pool.request({
        path,
        method: 'GET',
        headers: { authorization: `Bearer ${token}` },
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`GET ${path} answered ${statusCode}.`);
      latencies.get(path)?.push(performance.now() - due);
    };
    sent.push(one());
  }
  await Promise.all(sent);
  await pool.close();
  return latencies;
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
