/** The standalone host as a real process: ready line, tokens, several processes on one file, draining. */
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLeasedJobQueue } from '../../adapters/leased-jobs/index.ts';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { systemClock } from '../../core/ports/clock.ts';
import { silentLogger } from '../../core/ports/logger.ts';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createCredence } from '../../plugins/compose/index.ts';
import { newDelivery } from '../contract/storage/samples.ts';
import { bundled } from '../support/bundled-host.ts';
import { type ChildHost, startChild } from '../support/child-host.ts';
import { type ApiClient, createApiClient } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { newFolder } from '../support/new-folder.ts';
import { startReceiver } from '../support/receiver.ts';

const SESSION = '70000000042%3Asecretsession%3A7';
const ADMIN_TOKEN = 'an-admin-token-of-the-tests-0001';

// Each start of a process loads everything again.
let directory: string;
const children: ChildHost[] = [];

const simulator = await createPlatformSimulator();
simulator.world.sessions.set(SESSION, 'live');
afterAll(() => simulator.close());
beforeEach(async () => {
  directory = newFolder();
});
afterEach(() => Promise.all(children.splice(0).map((child) => child.stop('SIGKILL'))));

interface Start {
  readonly nodeArgs?: readonly string[];
  readonly script?: string;
}

/** From the sources, as `npm start` does, unless a script is named. */
function start(env: Readonly<Record<string, string>> = {}, how: Start = {}): ChildHost {
  const child = startChild({
    ...how,
    cwd: directory,
    env: {
      PORT: '0',
      INSTAGRAM_BASE_URL: simulator.instagramBaseUrl,
      TIKTOK_BASE_URL: simulator.tiktokBaseUrl,
      INSTAGRAM_SESSION_IDS: SESSION,
      SCRAPER_PACING: 'off',
      EGRESS_ALLOW: '127.0.0.0/8',
      DELAY_SCALE: '0.002',
      ...env,
    },
  });
  children.push(child);
  return child;
}

/** The same host, which is ready in half the time. */
const BUNDLED = 'hosts/standalone/main.ts';

/** A receiver that answers when it is told to. */
async function startHeldReceiver() {
  const receiver = await startReceiver();
  receiver.hold();
  const untilHeld = () => vi.waitFor(() => expect(receiver.held.size).toBe(1), { timeout: 30_000, interval: 10 });
  return { ...receiver, untilHeld };
}

async function createWebhook(api: ApiClient, url: string) {
  const brand = await api.call('POST', '/admin/brands', { body: { name: 'Acme', slug: 'acme' } });
  const path = `/admin/brands/${brand.json.data?.id}/webhooks`;
  const events = ['creator.verified', 'reward.issued', 'verification.failed'];
  const webhook = await api.call('POST', path, { body: { url, events } });
  expect(webhook.status).toBe(201);
  return { path: `${path}/${webhook.json.data?.id}`, secret: String(webhook.json.data?.secret) };
}

/** What an earlier host on the same folder would have stored. */
async function storeWebhook(url: string): Promise<{ readonly brandId: number; readonly webhookId: number }> {
  const data = join(directory, 'data');
  await mkdir(data);
  const config = {
    storage: `sqlite:${join(data, 'credence.db')}`,
    secrets: { keyFile: join(data, 'secrets.key') },
    egress: { allow: ['127.0.0.0/8'] },
    jobs: { run: false },
    adminToken: ADMIN_TOKEN,
  };
  const credence = createCredence(config, { logger: silentLogger });
  await credence.start();
  const { id: brandId } = await credence.brands.create({ name: 'Acme', slug: 'acme' });
  const { id: webhookId } = await credence.webhooks.create({ brandId, url, events: ['creator.verified'] });
  await credence.stop();
  return { brandId, webhookId };
}

describe('start and stop', () => {
  it('prints the ready line and, at the first start only, an admin token; processes share one file, and stop in order', async () => {
    const first = start();
    const url = await first.ready();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    // Where the pages are may be printed a moment later.
    const [line = '', ready] = first.stdout().split('\n');
    expect(ready).toBe(`listening on ${url}`);
    const token = /^admin token, shown only now: (crd_[A-Za-z0-9_-]{43})$/.exec(line)?.[1] ?? '';
    expect(token).not.toBe('');
    expect(first.stderr()).not.toContain(token);

    const second = start({}, { script: await bundled(BUNDLED) });
    const secondUrl = await second.ready();
    expect(second.stdout().split('\n')[0]).toBe(`listening on ${secondUrl}`);
    expect(second.stdout()).not.toContain('admin token');
    expect(secondUrl).not.toBe(url);
    const [one, two] = [createApiClient(url, token), createApiClient(secondUrl, token)];
    const body = { name: 'Shared', slug: 'shared' };
    expect((await one.call('POST', '/admin/brands', { body })).status).toBe(201);
    expect((await two.call('POST', '/admin/brands', { body })).status).toBe(409);
    expect((await two.call('GET', '/admin/brands')).json.data?.['0']?.slug).toBe('shared');
    const many = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : two).call('POST', '/social-accounts', {
        body: { externalId: `user-${index}`, platform: 'tiktok', handle: `user_${index}` },
      }),
    );
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 201));
    expect(Object.keys((await one.call('GET', '/admin/creators')).json.data ?? {})).toHaveLength(20);

    expect(await first.stop('SIGINT')).toBe(0);
    await stopsInOrder(second, two);
  });
});

/** The host finishes the delivery and the request in progress, accepts no new requests, and exits with 0. */
async function stopsInOrder(child: ChildHost, api: ApiClient): Promise<void> {
  const receiver = await startHeldReceiver();
  const { contentId, url } = simulator.world.addPost({ platform: 'tiktok', owner: 'northtrail' });
  simulator.world.failures.add({ platform: 'tiktok', contentId, shape: 'slow', latencyMs: 600 });
  const { path } = await createWebhook(api, receiver.url);
  expect((await api.call('POST', `${path}/test`)).status).toBe(202);
  await receiver.untilHeld();
  const log = await api.call('GET', `${path}/deliveries`);
  const deliveryId = Number(log.json.data?.['0']?.id);
  simulator.world.clearRequestCounts();
  const lookup = api.call('GET', `/v1/stats?${new URLSearchParams({ url })}`);
  while (Object.keys(simulator.world.requestCounts()).length === 0) await sleep(10);

  child.signal('SIGTERM');
  const answer = await lookup;
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close');
  await expect(api.call('GET', '/healthz')).rejects.toThrow();
  receiver.release();
  expect(await child.exit()).toBe(0);

  // Stored as delivered, and no job is left that would send it again.
  const storage = createSqliteStorage({ path: join(directory, 'data/credence.db') });
  await storage.open();
  expect(await storage.deliveries.find(deliveryId)).toMatchObject({ status: 'succeeded', tries: [{ status: 204 }] });
  expect(await storage.jobs.stats(new Date())).toMatchObject({ queued: 0, running: 0, dead: 0 });
  await storage.close();
  expect(receiver.received).toHaveLength(1);
  await receiver.close();
}

/** Listens a second time once a file says so, and tells when it cannot: the first time only holds the port. */
const LISTEN_WHEN_TOLD = `data:text/javascript,${encodeURIComponent(`
  import { existsSync } from 'node:fs';
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  let isHeld = false;
  Server.prototype.listen = function (...args) {
    if (!isHeld) {
      isHeld = true;
      return listen.apply(this, args);
    }
    this.prependOnceListener('error', () => process.stderr.write('cannot listen\\n'));
    const timer = setInterval(() => {
      if (!existsSync('listen')) return;
      clearInterval(timer);
      listen.apply(this, args);
    }, 20);
    return this;
  };
`)}`;
/** For a process that gives up at once to do so. */
const GIVES_UP_MS = 300;

/** Takes a port as soon as nobody else has it. */
async function takePort(port: number) {
  for (;;) {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    const isTaken = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isTaken) return server;
    await sleep(20);
  }
}

describe('a start that does not end', () => {
  it('since its port is taken, says so before anything else: no token is made or shown', async () => {
    const taken = await takePort(await freePort());
    const { port } = taken.address() as AddressInfo;
    const script = await bundled(BUNDLED);
    const refused = start({ PORT: String(port) }, { script });
    expect(await refused.exit()).toBe(1);
    expect(refused.stderr()).toContain(`127.0.0.1 port ${port} is in use`);
    expect(refused.stdout()).toBe('');
    expect(await readdir(directory)).toEqual([]);
    taken.close();
    const next = start({ PORT: String(port) }, { script });
    expect(await next.ready()).toBe(`http://127.0.0.1:${port}`);
    expect(next.stdout()).toMatch(/^admin token, shown only now: crd_/);
    expect(await next.stop()).toBe(0);
  });

  it('leaves no job behind that it took, and shows the token that it has made', async () => {
    const receiver = await startHeldReceiver();
    const { brandId, webhookId } = await storeWebhook(receiver.url);
    const storage = createSqliteStorage({ path: join(directory, 'data/credence.db') });
    await storage.open();
    const now = new Date();
    const pending = newDelivery(webhookId, { brandId, nextTryAt: now, createdAt: now });
    const [delivery] = await storage.deliveries.createMany([pending]);
    const deliveryId = delivery?.id ?? 0;
    const queue = createLeasedJobQueue({ store: storage.jobs, clock: systemClock, logger: silentLogger });

    const port = await freePort();
    const how = { nodeArgs: ['--import', LISTEN_WHEN_TOLD], script: await bundled(BUNDLED) };
    const child = start({ PORT: String(port) }, how);
    await receiver.untilHeld();
    const taken = await takePort(port);
    await writeFile(join(directory, 'listen'), '');
    await expect.poll(() => child.stderr(), { timeout: 30_000 }).toContain('cannot listen');
    await sleep(GIVES_UP_MS);
    receiver.release();
    expect(await child.exit()).toBe(1);
    expect(child.stderr()).toContain('EADDRINUSE');
    expect(child.stdout()).toMatch(/^admin token, shown only now: crd_/);
    expect((await storage.deliveries.find(deliveryId))?.status).toBe('succeeded');
    expect(await queue.stats()).toMatchObject({ running: 0 });
    await storage.close();
    taken.close();
    await receiver.close();
  });

  it('since the process is told to stop meanwhile, does not listen and exits with 0', async () => {
    const data = join(directory, 'data');
    await mkdir(data);
    // Starting waits for the lock of the file.
    const holder = new Database(join(data, 'credence.db'));
    holder.pragma('journal_mode = WAL');
    holder.exec('BEGIN IMMEDIATE');
    const child = start({ NODE_ENV: 'production' }, { script: await bundled(BUNDLED) });
    // The first lines of the log: it has begun to start.
    await expect.poll(() => child.stderr(), { timeout: 30_000 }).toContain('"level"');
    child.signal('SIGTERM');
    await expect.poll(() => child.stderr(), { timeout: 30_000 }).toContain('"msg":"stopping"');
    holder.exec('COMMIT');
    holder.close();
    expect(await child.exit()).toBe(0);
    expect(child.stdout()).not.toContain('listening');
    // Nor is the token lost, which cannot be had again.
    expect(child.stdout()).toMatch(/^admin token, shown only now: crd_/);
  });
});

describe('the command line', () => {
  it('lists every variable with --help', async () => {
    const child = startChild({ script: await bundled(BUNDLED), args: ['--help'] });
    expect(await child.exit()).toBe(0);
    for (const name of ['PORT', 'STORAGE_URL', 'INSTAGRAM_SESSION_IDS', 'TLS_EXTRA_CA_FILE', 'RUN_JOBS']) {
      expect(child.stdout()).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
    }
    expect(child.stdout()).toContain('[3000]');
  });

  // Every other mistake, in this process: test/unit/hosts/start-failure.test.ts, test/unit/sqlite/opening.test.ts.
  it('refuses wrong variables with 2, naming each', async () => {
    const wrong = { PORT: '65536', LOG_LEVEL: 'loud', ADMIN_TOKEN: 'short' };
    const child = start(wrong, { script: await bundled(BUNDLED) });
    expect(await child.exit()).toBe(2);
    for (const name of ['PORT', 'LOG_LEVEL', 'ADMIN_TOKEN']) expect(child.stderr()).toMatch(new RegExp(`\\b${name}: `));
    expect(child.stderr()).not.toMatch(/^\s+at /m);
    expect(child.stderr()).not.toContain('short');
    expect(child.stdout()).toBe('');
  });
});
