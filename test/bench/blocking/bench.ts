/** Whether anything holds the event loop: every route and every periodic job once, with very many rows in SQLite. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { createPlatformSimulator } from '../../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../../hosts/platform-simulator/world.ts';
import { createApiClient } from '../../support/client.ts';
import { startReceiver } from '../../support/receiver.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../../support/tls-origin.ts';
import { type Bench, type BenchContext, type BenchRow, MILLISECONDS } from '../bench.ts';
import { type Child, startChild } from '../child.ts';
import { documentOf } from '../document.ts';
import { alone } from '../rounds.ts';
import { operationsOf } from './operations.ts';
import type { HostReady, HostRequest, HostSetup, PeriodicDone, Rows, Stall } from './protocol.ts';
import { LATE_SUBSCRIBER } from './seed.ts';

const FULL: Rows = {
  comments: 1_000_000,
  creators: 1_000_000,
  attempts: 100_000,
  deliveries: 1_000_000,
  likers: 100_000,
  campaigns: 10_000,
  jobs: 100_000,
  auditEntries: 1_000_000,
  subscriberDeliveries: 1_000_000,
  backlog: 10_000,
};
const TINY: Rows = {
  comments: 400,
  creators: 600,
  attempts: 400,
  deliveries: 400,
  likers: 200,
  campaigns: 10,
  jobs: 100,
  auditEntries: 400,
  subscriberDeliveries: 400,
  backlog: 40,
};
/** Periodic work that finds rows to handle among what was stored. */
const HANDLES_ROWS: readonly string[] = ['fail-overdue', 'recheck-claims', 'recover-lost-work', 'purge-expired'];
const INSTAGRAM_SESSION = '70000000009%3Atests%3A1';
const SMALL_ANSWER = jsonAnswer({ user: { id: 42, email: 'ada@example.com' } });
const LARGE_PATH = '/v1/entries';
const LARGE_ANSWER = jsonAnswer(documentOf(16));
const AIMS: Pick<BenchRow, 'aim'> = { aim: { of: 'figure', atMost: 250 } };

export const blockingBench: Bench = {
  name: 'blocking',
  title: 'Longest time that a route or a job holds the event loop (SQLite)',
  run: ({ quick, progress }) => measureBlocking(quick ? TINY : FULL, progress),
};

/** Of a database with so many rows. @throws Error if something that is measured finds no rows */
export async function measureBlocking(rows: Rows, progress: BenchContext['progress']): Promise<readonly BenchRow[]> {
  const world = createWorld('blocking');
  world.sessions.set(INSTAGRAM_SESSION, 'live');
  world.addPost({ platform: 'instagram', owner: 'acme', contentId: 'C8xample123', comments: 30, likers: 200 });
  world.addPost({ platform: 'tiktok', owner: 'acme', contentId: '7300000000000000001', comments: 200 });
  world.addProfile({ platform: 'instagram', handle: 'ada.l', bio: 'Hello' });
  world.addProfile({ platform: 'tiktok', handle: 'person.1', bio: 'Hello' });
  const posts = {
    comments: 'https://www.tiktok.com/@acme/video/7300000000000000001',
    likers: 'https://www.instagram.com/p/C8xample123/',
  };
  const authority = createAuthority();
  await using origin = await startOrigin(authority, {
    certificate: authority.leaf({ dns: ['localhost'] }),
    answer: ({ target }, socket) => void socket.write(target === LARGE_PATH ? LARGE_ANSWER : SMALL_ANSWER),
  });
  const simulator = await createPlatformSimulator({ world });
  const receiver = await startReceiver();
  try {
    progress('storing rows');
    const setup: HostSetup = {
      rows,
      tiktokBaseUrl: simulator.tiktokBaseUrl,
      instagramBaseUrl: simulator.instagramBaseUrl,
      receiverUrl: receiver.url,
      authority: authority.root.pem,
      posts,
    };
    await using host = await startChild<HostReady>(new URL('./host.ts', import.meta.url), setup, [], 600_000);
    const { baseUrl, token } = host.ready;
    const api = createApiClient(baseUrl, token);
    const urlOf = (path: string) => origin.url(path).replace('origin.test', 'localhost');
    const [proveUrl, largeUrl] = [urlOf('/v1/me'), urlOf(LARGE_PATH)];
    const operations = operationsOf({ api, rows, posts, receiverUrl: receiver.url, proveUrl, largeUrl });
    const missing = host.ready.routes.filter((id) => !operations.some(({ route }) => route === id));
    if (missing.length > 0) throw new Error(`No operation for the routes ${missing.join(', ')}.`);
    return await measureAll(host, operations, progress);
  } finally {
    await receiver.close();
    await simulator.close();
  }
}

async function measureAll(
  host: Child<HostReady>,
  operations: ReturnType<typeof operationsOf>,
  progress: BenchContext['progress'],
): Promise<readonly BenchRow[]> {
  const jobs = new Sqlite(host.ready.path, { readonly: true });
  const measured: BenchRow[] = [];
  const measure = async (name: string, work: () => Promise<unknown>, aims = AIMS) => {
    progress(name);
    await ask(host, { kind: 'begin' });
    await work();
    await untilIdle(jobs);
    const { elapsed, processor } = await ask<Stall>(host, { kind: 'end' });
    const note = `${processor.toFixed(1)} ms by processor time`;
    measured.push(alone({ name, unit: MILLISECONDS, ...aims, note }, [elapsed]));
  };
  try {
    for (const { route, what, loadsCode, run } of operations) {
      if (loadsCode) await measure(`${route}: first call`, run, loadsCode === true ? AIMS : {});
      await measure(what === undefined ? route : `${route}: ${what}`, run);
    }
    await measure('events that wait for a subscriber', async () => {
      await ask(host, { kind: 'subscribe' });
      await untilDelivered(jobs);
    });
    for (const name of host.ready.periodic) {
      await measure(`periodic ${name}`, async () => {
        const { handled } = await ask<PeriodicDone>(host, { kind: 'periodic', name });
        if (HANDLES_ROWS.includes(name) && !(Number(handled) > 0)) throw new Error(`${name} found nothing to do.`);
      });
    }
  } finally {
    jobs.close();
  }
  return measured.sort((one, other) => other.figure - one.figure);
}

/** Waits until the late subscriber has handled every event that waits for it. */
async function untilDelivered(db: InstanceType<typeof Sqlite>): Promise<void> {
  const count = (status: string) =>
    db
      .prepare<[string, string], number>(
        'SELECT count(*) FROM subscriber_deliveries WHERE subscriber = ? AND status = ?',
      )
      .pluck()
      .get(LATE_SUBSCRIBER, status) ?? 0;
  while (count('pending') > 0) await sleep(100);
  if (count('succeeded') === 0) throw new Error('No event waited for the late subscriber.');
}

/** Waits for jobs that requests have started. */
async function untilIdle(db: InstanceType<typeof Sqlite>): Promise<void> {
  const due = db.prepare(`SELECT 1 FROM jobs WHERE status <> 'dead' AND run_at < ? LIMIT 1`);
  const outbox = db.prepare('SELECT 1 FROM attempt_outbox LIMIT 1');
  for (let quiet = 0; quiet < 3; ) {
    await sleep(10);
    quiet = due.get(Date.now() + 1_000) === undefined && outbox.get() === undefined ? quiet + 1 : 0;
  }
}

async function ask<T>({ process }: Child<HostReady>, request: HostRequest): Promise<T> {
  process.send(request);
  const [answer] = await once(process, 'message');
  return answer as T;
}
