/** What the plugin costs: the same read routes on Credence and written by hand on the bare framework. */
import { once } from 'node:events';
import autocannon from 'autocannon';
import type { Bench, BenchRow, Unit } from '../bench.ts';
import { startChild } from '../child.ts';
import { sideBySide } from '../rounds.ts';
import { requireRows } from '../rows.ts';
import { measureLogLine } from './log-line.ts';
import type { Ready, ServerSetup, Subject } from './protocol.ts';

const CONNECTIONS = 16;
const WARM_UP_REQUESTS = 15_000;
const PER_PROCESSOR_SECOND: Unit = { name: 'req/CPU s', better: 'higher' };

const PAIRS: readonly { readonly framework: string; readonly subject: Subject; readonly reference: Subject }[] = [
  { framework: 'Fastify', subject: 'Credence on Fastify', reference: 'bare Fastify' },
  { framework: 'Express', subject: 'Credence on Express', reference: 'bare Express' },
];

export const httpBench: Bench = {
  name: 'http',
  title: 'Plugin overhead: read routes against the bare framework with the same validation and queries',
  async run({ quick, progress }) {
    const setup: ServerSetup = quick ? { comments: 50, campaigns: 5 } : { comments: 500, campaigns: 50 };
    progress('starting the server process');
    await using server = await startChild<Ready>(new URL('./server.ts', import.meta.url), setup);
    const { urls, token, campaignId, challengeId } = server.ready;
    const secondsOf = async () => {
      server.process.send('cpu');
      const [used] = (await once(server.process, 'message')) as [NodeJS.CpuUsage];
      return (used.user + used.system) / 1e6;
    };
    const paths = [
      `/campaigns/${campaignId}`,
      '/campaigns?page=1&limit=20',
      `/admin/challenges/${challengeId}/comments`,
    ];
    progress('log line of a request');
    const rows: BenchRow[] = [await measureLogLine(quick)];
    for (const { framework, subject, reference } of PAIRS) {
      for (const path of paths) {
        await requireSameBody(urls[subject] + path, urls[reference] + path, token);
        await requireRows(urls[subject] + path, token);
        progress(`${framework} ${path}`);
        const send = (of: Subject, load: Load) => requestsPerSecond(urls[of] + path, token, load, secondsOf);
        const measure = (of: Subject) => () => send(of, quick ? { amount: 64 } : { duration: 0.5 });
        // Compiling counts as processor time of the server, and a server does it once.
        if (!quick) for (const side of [reference, subject]) await send(side, { amount: WARM_UP_REQUESTS });
        rows.push(
          await sideBySide({
            name: `${framework}: GET ${path.replace(/\d+/, 'N').replace(/\?.*/, '')}`,
            unit: PER_PROCESSOR_SECOND,
            subject: measure(subject),
            reference: { name: reference, measure: measure(reference) },
            rounds: quick ? 1 : 11,
            aim: { of: 'ratio', atLeast: 0.85 },
          }),
        );
      }
    }
    return rows;
  },
};

/** A reference that answers something else would be no reference. */
async function requireSameBody(one: string, other: string, token: string): Promise<void> {
  const [a, b] = await Promise.all(
    [one, other].map(async (url) => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return `${response.status} ${JSON.stringify(sorted(await response.json()))}`;
    }),
  );
  if (a !== b || !a?.startsWith('200 ')) throw new Error(`${one} and ${other} answer differently:\n${a}\n${b}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

type Load = { readonly amount: number } | { readonly duration: number };

/** By the processor time of the server, which other processes do not lengthen. */
async function requestsPerSecond(
  url: string,
  token: string,
  load: Load,
  secondsOf: () => Promise<number>,
): Promise<number> {
  const before = await secondsOf();
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    // It ends at the end of a sample only.
    sampleInt: 50,
    ...load,
    headers: { authorization: `Bearer ${token}` },
  });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
  return result['2xx'] / ((await secondsOf()) - before);
}
