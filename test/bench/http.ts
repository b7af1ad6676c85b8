/** What the mounts cost: the same routes on Credence and written by hand on the bare framework. */
import { once } from 'node:events';
import autocannon from 'autocannon';
import type { Ready, ServerSetup, Subject } from './http-server.ts';
import { type Bench, type BenchContext, type BenchRow, sideBySide, type Unit } from './measure.ts';
import { onEachStorage, type StorageName, startChild } from './support.ts';

const CONNECTIONS = 16;
const WARM_UP_REQUESTS = 15_000;
const REQUESTS_PER_SECOND: Unit = { name: 'req/s', better: 'higher' };
const PER_PROCESSOR_SECOND: Unit = { name: 'req/CPU s', better: 'higher' };

const startServer = (setup: ServerSetup) => startChild<Ready>(new URL('./http-server.ts', import.meta.url), setup);

export const readsBench: Bench = {
  title: 'Read routes against the bare framework with the same validation and queries',
  run: (context) =>
    onEachStorage(context, async (name, open) => {
      await using place = await open();
      const rows = await reads(name, context, place.url, 'Fastify');
      return name === 'SQLite' ? [...rows, ...(await reads(name, context, place.url, 'Express'))] : rows;
    }),
};

async function reads(
  storage: StorageName,
  { quick, progress }: BenchContext,
  storageUrl: string,
  framework: 'Fastify' | 'Express',
): Promise<readonly BenchRow[]> {
  const sizes = quick ? { comments: 50, campaigns: 5 } : { comments: 500, campaigns: 50 };
  await using server = await startServer({ storageUrl, ...sizes, creators: 0 });
  const { urls, token, campaignId, challengeId } = server.ready;
  const secondsOf = async () => {
    server.process.send('cpu');
    const [used] = (await once(server.process, 'message')) as [NodeJS.CpuUsage];
    return (used.user + used.system) / 1e6;
  };
  const subjects = [`bare ${framework}`, `Credence on ${framework}`] as const;
  const rows: BenchRow[] = [];
  const comments = `/admin/challenges/${challengeId}/comments`;
  for (const path of [`/campaigns/${campaignId}`, '/campaigns?page=1&limit=20', comments]) {
    progress(`${storage}, ${framework} ${path}`);
    await requireSameBody(`${urls[subjects[1]]}${path}`, `${urls[subjects[0]]}${path}`, token);
    /** By the processor time of the server, which other processes do not lengthen. */
    const send = async (to: Subject, load: { readonly amount: number } | { readonly duration: number }) => {
      const before = await secondsOf();
      const answered = await cannon({ url: urls[to] + path, ...load }, token);
      return answered / ((await secondsOf()) - before);
    };
    const measure = (to: Subject) => () => send(to, quick ? { amount: 64 } : { duration: 0.5 });
    // Compiling counts as processor time of the server, and a server does it once.
    if (!quick) for (const side of subjects) await send(side, { amount: WARM_UP_REQUESTS });
    rows.push(
      await sideBySide({
        name: `${storage}, ${framework}: GET ${path.replace(/\d+/, 'N').replace(/\?.*/, '')}`,
        unit: PER_PROCESSOR_SECOND,
        subject: measure(subjects[1]),
        reference: { name: subjects[0], measure: measure(subjects[0]) },
        rounds: quick ? 1 : 11,
        aim: { of: 'ratio', atLeast: 0.85 },
      }),
    );
  }
  return rows;
}

/** A reference that answers something else would be no reference; the time of an empty page says nothing. */
async function requireSameBody(one: string, other: string, token: string): Promise<void> {
  const [a, b] = await Promise.all(
    [one, other].map(async (url) => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, body: (await response.json()) as { data?: { length?: number } } };
    }),
  );
  const text = (answer: unknown) => JSON.stringify(sorted(answer));
  if (a?.status !== 200 || a.body.data?.length === 0 || text(a) !== text(b)) {
    throw new Error(`${one} and ${other} answer differently:\n${text(a)}\n${text(b)}`);
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

const WRITES: Readonly<Record<StorageName, number>> = { SQLite: 600, PostgreSQL: 300, MongoDB: 100 };

export const writesBench: Bench = {
  title: 'Writes against bare Fastify with the same checks, queries and audit entries',
  run: (context) =>
    onEachStorage(context, async (name, open) => {
      await using place = await open();
      return await writes(name, context, place.url);
    }),
};

async function writes(name: StorageName, { quick }: BenchContext, storageUrl: string): Promise<readonly BenchRow[]> {
  const [rounds, amount] = quick ? [1, 16] : [7, WRITES[name]];
  // One more round warms up.
  const creators = amount * (rounds + 1);
  await using server = await startServer({ storageUrl, comments: 100, campaigns: 2, creators });
  const { urls, token, challengeIds } = server.ready;
  const rows: BenchRow[] = [];
  for (const [path, bodyOf] of [
    ['/social-accounts', (name: string) => ({ externalId: name, platform: 'tiktok', handle: name })],
    ['/admin/challenges/N/attempts', (_name: string, index: number) => ({ externalId: `creator-${index}` })],
  ] as const) {
    // Each write is by another creator, and each subject has a challenge of its own.
    const measure = (subject: 'Credence on Fastify' | 'bare Fastify') => {
      let made = 0;
      const request = () => {
        const index = made++;
        const body = JSON.stringify(bodyOf(`${subject.slice(0, 4).toLowerCase()}-${index}`, index));
        return { method: 'POST' as const, path: path.replace('N', String(challengeIds[subject])), body };
      };
      return async () => {
        const started = performance.now();
        const requests = [{ setupRequest: (given: autocannon.Request) => ({ ...given, ...request() }) }];
        const answered = await cannon({ url: urls[subject], amount, requests }, token);
        return answered / ((performance.now() - started) / 1_000);
      };
    };
    rows.push(
      await sideBySide({
        name: `${name}: POST ${path}`,
        unit: REQUESTS_PER_SECOND,
        subject: measure('Credence on Fastify'),
        reference: { name: 'bare Fastify', measure: measure('bare Fastify') },
        rounds,
        aim: { of: 'ratio', atLeast: 0.7 },
      }),
    );
  }
  return rows;
}

/** Sends requests; returns how many were answered. @throws Error if one is refused */
async function cannon(options: autocannon.Options, token: string): Promise<number> {
  const result = await autocannon({
    connections: Math.min(CONNECTIONS, options.amount ?? CONNECTIONS),
    // It ends at the end of a sample only.
    sampleInt: 50,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...options,
  });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests to ${options.url} failed`);
  return result['2xx'];
}
