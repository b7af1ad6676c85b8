/** PostgreSQL that loses answers, crashes, has no connection left, or stands behind PgBouncer, while creators claim. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { type PostgresStorageOptions, postgres } from '../../adapters/postgres/index.ts';
import type { Brand } from '../../core/engagement/brands/brand.ts';
import type { CredenceOptions } from '../../plugins/compose/index.ts';
import { linkInput, T0 } from '../contract/storage/samples.ts';
import { freePort } from '../support/free-port.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { inDatabase } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { createTestStorage, onPostgres } from '../support/storage.ts';
import { createTcpProxy } from '../support/tcp-proxy.ts';
import { claim, expectAnnounced, expectPoints, expectRewarded, openAttempt, prepareScene, WAIT } from './claim.ts';

const CREATORS = 8;
/** Answers to COMMIT that are lost, one after another. */
const LOST = 12;

async function withInstance(
  storage: PostgresStorageOptions,
  work: (instance: TestInstance) => Promise<void>,
  options: CredenceOptions = {},
) {
  const instance = await startInstance({ config: { storage: postgres(storage), jobs: { leaseSeconds: 1 } }, options });
  try {
    await work(instance);
  } finally {
    await instance.close();
  }
}

/** Creators claim while something happens; afterwards all of them have their reward, once. */
async function claimAmid(instance: TestInstance, happen: () => Promise<unknown>): Promise<void> {
  const { api, receiver, world } = instance;
  const handles = Array.from({ length: CREATORS }, (_, index) => `amid${index}`);
  const scene = await prepareScene(api, world, receiver, handles);
  const attempts = await Promise.all(handles.map((handle) => openAttempt(api, scene, handle)));
  const [early] = await Promise.all([Promise.allSettled(attempts.map((attempt) => claim(api, attempt))), happen()]);
  const refused = early.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(refused.filter((reason) => !reason.includes('SERVICE_UNAVAILABLE'))).toEqual([]);
  await vi.waitFor(async () => expect((await api.call('GET', '/readyz')).status).toBe(200), WAIT);
  await Promise.all(attempts.map((attempt) => claim(api, attempt)));
  await Promise.all(attempts.map((attempt) => expectRewarded(api, attempt)));
  await vi.waitFor(() => expectPoints(api, scene, CREATORS), WAIT);
  await expectAnnounced(api, scene, receiver, CREATORS);
}

async function openBehindProxy() {
  const database = await createTestStorage('postgres');
  const url = new URL(database.url);
  const proxy = await createTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  return { url: url.href, proxy, database };
}

/** In transaction mode, with fewer connections to the server than clients have. */
async function startPgBouncer(url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'credence-pgbouncer-'));
  const [port, server] = [await freePort(), new URL(url)];
  const settings = `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
`;
  await writeFile(join(folder, 'settings.ini'), settings);
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const bouncer = spawn('pgbouncer', [...user, join(folder, 'settings.ini')], { stdio: 'ignore' });
  const through = new URL(url);
  through.port = String(port);
  await vi.waitFor(() => inDatabase(through.href, 'SELECT 1'), WAIT);
  return {
    url: through.href,
    async stop() {
      bouncer.kill('SIGKILL');
      await once(bouncer, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function hasPgBouncer(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn('\n  NO PGBOUNCER (Debian: pgbouncer): the test of PostgreSQL behind it is SKIPPED.\n');
    return false;
  }
}

await onPostgres(() => {
  describe('while creators claim', { concurrent: true }, () => {
    it('answers to COMMIT that are lost lose nothing and issue nothing twice', async () => {
      const { url, proxy, database } = await openBehindProxy();
      await withInstance({ url }, (instance) =>
        claimAmid(instance, async () => {
          for (let lost = 0; lost < LOST; lost += 1) {
            await proxy.freezeOn('COMMIT');
            await proxy.restore();
          }
        }),
      );
      await proxy.close();
      await database.close();
    }, 300_000);

    it('a server that crashes and comes back loses nothing and issues nothing twice', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'credence-crash-'));
      execFileSync('chmod', ['a+rx', folder]);
      const server = await startPostgres(join(folder, 'postgres'), '-c fsync=off');
      try {
        await withInstance({ url: server.url }, (instance) =>
          claimAmid(instance, async () => {
            await vi.waitFor(() => expect(instance.receiver.received.length).toBeGreaterThan(0), WAIT);
            let isBack = false;
            const crash = server.crash().finally(() => {
              isBack = true;
            });
            const statuses = new Set<number>();
            for (let n = 0; !isBack; n += 1) {
              const brand = instance.api.call('POST', '/admin/brands', { body: { name: 'One', slug: `one-${n}` } });
              for (const { status } of await Promise.all([brand, instance.api.call('GET', '/campaigns')])) {
                statuses.add(status);
              }
            }
            await crash;
            expect(statuses).toContain(503);
            expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
          }),
        );
      } finally {
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      }
    }, 300_000);

    it('one connection is enough for requests and background work', async () => {
      const database = await createTestStorage('postgres');
      // As long as the test: two that wait for each other would not be answered.
      await withInstance({ url: database.url, maxPoolSize: 1, connectTimeoutMs: 300_000 }, (instance) =>
        claimAmid(instance, async () => {
          const asked = Array.from({ length: 50 }, (_, n) =>
            n % 2 === 0
              ? instance.api.call('GET', '/campaigns')
              : instance.api.call('POST', '/admin/brands', { body: { name: 'One', slug: `one-${n}` } }),
          );
          const statuses = (await Promise.all(asked)).map(({ status }) => status);
          expect(new Set(statuses)).toEqual(new Set([200, 201]));
        }),
      );
      await database.close();
    }, 300_000);

    it.skipIf(!hasPgBouncer())(
      'PgBouncer shares connections among transactions, and that it passes no wake-ups on is logged once',
      async () => {
        const database = await createTestStorage('postgres');
        const bouncer = await startPgBouncer(database.url);
        try {
          const logger = createRecordingLogger();
          const polls = () => logger.lines.filter(({ message }) => message.includes('by polling')).length;
          const work = async (instance: TestInstance) => {
            await claimAmid(instance, () => vi.waitFor(() => expect(polls()).toBe(1), WAIT));
          };
          await withInstance({ url: bouncer.url }, work, { logger });
          expect(polls()).toBe(1);
        } finally {
          await bouncer.stop();
          await database.close();
        }
      },
      300_000,
    );
  });

  it('says of a write whose answer is lost that it may be repeated, and does not repeat it itself', async () => {
    const { url, proxy, database } = await openBehindProxy();
    const storage = postgres({ url });
    await storage.open();
    const lost = proxy.freezeOn('COMMIT');
    const linking = expect(
      storage.creators.link(linkInput({ externalId: 'lost', handle: 'lost' })),
    ).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await lost;
    await proxy.restore();
    await linking;
    const again = await storage.creators.link(linkInput({ externalId: 'lost', handle: 'lost' }));
    expect(again).toMatchObject({ outcome: 'existing', creator: { id: 1 } });
    await storage.close();
    await proxy.close();
    await database.close();
  });

  it('waits for seconds only for a process that stands still in a transaction', async () => {
    const { url, proxy, database } = await openBehindProxy();
    const still = postgres({ url });
    const other = postgres({ url: database.url, statementTimeoutMs: 30_000 });
    await Promise.all([still.open(), other.open()]);
    const brand = { name: 'One', slug: 'of-both', logoUrl: null, createdAt: T0 };
    const { id } = (await still.brands.create(brand)) as Brand;
    // The answer to its `FOR UPDATE`.
    const frozen = proxy.freezeOn(brand.slug);
    const lost = expect(still.brands.update(id, { name: 'Lost' })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
    await frozen;
    expect(await other.brands.update(id, { name: 'Kept' })).toMatchObject({ name: 'Kept' });
    await proxy.restore();
    await lost;
    expect(await still.brands.find(id)).toMatchObject({ name: 'Kept' });
    await Promise.all([still.close(), other.close()]);
    await proxy.close();
    await database.close();
  }, 60_000);

  it("answers 503 while the host's own pool has no connection to give, and continues then", async () => {
    const database = await createTestStorage('postgres');
    const pool = new pg.Pool({ connectionString: database.url, max: 1, connectionTimeoutMillis: 300 });
    await withInstance({ pool }, async ({ api }) => {
      const held = await pool.connect();
      const answers = await Promise.all(Array.from({ length: 50 }, () => api.call('GET', '/campaigns')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      held.release();
      expect((await api.call('GET', '/campaigns')).status).toBe(200);
    });
    await pool.end();
    await database.close();
  }, 60_000);
});
