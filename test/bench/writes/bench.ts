/** Writes, and a host on MongoDB: registering, opening attempts and two reads against the bare framework and driver. */
import autocannon from 'autocannon';
import { type Bench, type BenchRow, REQUESTS_PER_SECOND } from '../bench.ts';
import { startChild } from '../child.ts';
import { mongoDatabase } from '../mongo.ts';
import { sideBySide } from '../rounds.ts';
import { requireRows } from '../rows.ts';
import { creatorName, type Ready, type ServerSetup, type Subject } from './protocol.ts';

const CONNECTIONS = 16;

interface Sizes {
  readonly rounds: number;
  /** Requests of one measurement. */
  readonly requests: number;
}

export const writesBench: Bench = {
  name: 'writes',
  title: 'Writes on SQLite, and a host on MongoDB: against bare Fastify with the same checks and queries',
  async run({ quick, progress, skip }) {
    const sizes = (requests: number): Sizes => (quick ? { rounds: 1, requests: 16 } : { rounds: 7, requests });
    progress('SQLite');
    const rows = await measure('SQLite', {}, ['register', 'attempt'], sizes(600));
    await using server = await mongoDatabase();
    if (server.available) {
      progress('MongoDB');
      const setup = { mongoUrl: server.url };
      rows.push(...(await measure('MongoDB', setup, ['register', 'attempt', 'campaign', 'comments'], sizes(100))));
    } else skip('MongoDB', server.reason);
    return rows;
  },
};

type Route = 'register' | 'attempt' | 'campaign' | 'comments';

async function measure(
  name: string,
  setup: Pick<ServerSetup, 'mongoUrl'>,
  routes: readonly Route[],
  { rounds, requests }: Sizes,
): Promise<BenchRow[]> {
  // One more round warms up.
  const creators = requests * (rounds + 1);
  const all: ServerSetup = { ...setup, comments: 100, creators };
  await using server = await startChild<Ready>(new URL('./server.ts', import.meta.url), all);
  const rows: BenchRow[] = [];
  for (const route of routes) {
    const { title, next } = requestsOf(route, server.ready);
    if (route === 'campaign' || route === 'comments') {
      const { path } = next('Credence');
      for (const url of Object.values(server.ready.urls)) await requireRows(url + path, server.ready.token);
    }
    const run = (subject: Subject) => () =>
      requestsPerSecond(server.ready.urls[subject], server.ready.token, requests, () => next(subject));
    rows.push(
      await sideBySide({
        name: `${name}: ${title}`,
        unit: REQUESTS_PER_SECOND,
        subject: run('Credence'),
        reference: { name: 'bare Fastify', measure: run('bare Fastify') },
        rounds,
        aim: { of: 'ratio', atLeast: 0.7 },
      }),
    );
  }
  return rows;
}

interface NextRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** The requests. Each write is by another creator, and each subject has a challenge of its own. */
function requestsOf(route: Route, { campaignId, challengeIds }: Ready) {
  const made: Record<Subject, number> = { Credence: 0, 'bare Fastify': 0 };
  const comments = `/admin/challenges/${challengeIds.Credence}/comments`;
  const all: Readonly<Record<Route, { readonly title: string; readonly next: (subject: Subject) => NextRequest }>> = {
    register: {
      title: 'POST /social-accounts',
      next: (subject) => {
        const externalId = `${subject === 'Credence' ? 'new' : 'bare'}-${made[subject]++}`;
        const body = JSON.stringify({ externalId, platform: 'tiktok', handle: externalId });
        return { method: 'POST', path: '/social-accounts', body };
      },
    },
    attempt: {
      title: 'POST /admin/challenges/N/attempts',
      next: (subject) => ({
        method: 'POST',
        path: `/admin/challenges/${challengeIds[subject]}/attempts`,
        body: JSON.stringify({ externalId: creatorName(made[subject]++) }),
      }),
    },
    campaign: { title: 'GET /campaigns/N', next: () => ({ method: 'GET', path: `/campaigns/${campaignId}` }) },
    comments: { title: `GET ${comments.replace(/\d+/, 'N')}`, next: () => ({ method: 'GET', path: comments }) },
  };
  return all[route];
}

async function requestsPerSecond(url: string, token: string, amount: number, next: () => NextRequest): Promise<number> {
  const started = performance.now();
  const result = await autocannon({
    url,
    connections: Math.min(CONNECTIONS, amount),
    amount,
    sampleInt: 50,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} requests to ${url} failed`);
  return result['2xx'] / ((performance.now() - started) / 1_000);
}
