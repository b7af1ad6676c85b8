/**
 * A server of the storage goes away while claims are worked off, and comes back. `CREDENCE_OUTAGE_SECONDS=30` makes the outage as long as a
 * real one; a few seconds show the same.
 */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { mongodb } from '../../adapters/mongodb/index.ts';
import { postgres } from '../../adapters/postgres/index.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { createTestStorage, onMongo, onPostgres, type StorageKind } from '../support/storage.ts';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { claim, expectAnnounced, expectPoints, expectRewarded, openAttempt, prepareScene, WAIT } from './claim.ts';

const unspied = Socket.prototype.write;
const OUTAGE_MS = Number(process.env.CREDENCE_OUTAGE_SECONDS ?? '2') * 1_000;
/** Long enough for a busy machine: a job that finds the storage away waits for up to half a minute. */
const CONNECT_TIMEOUT_MS = 3_000;
/** Far above what an answer may take: connecting, noticing that nobody answers, and being busy with other tests. */
const ANSWER_MS = 15_000;
const CREATORS = 6;

async function openStage(kind: StorageKind) {
  await using opened = new AsyncDisposableStack();
  const database = await createTestStorage(kind);
  opened.defer(() => database.close());
  const direct = new URL(database.url);
  const proxy = await createTcpProxy({ host: direct.hostname, port: Number(direct.port) });
  opened.defer(() => proxy.close());
  direct.port = String(proxy.port);
  const storage =
    kind === 'postgres'
      ? postgres({ url: direct.href, connectTimeoutMs: CONNECT_TIMEOUT_MS, statementTimeoutMs: CONNECT_TIMEOUT_MS })
      : mongodb({ url: `${direct.href}?directConnection=true`, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  const instance = await startInstance({ config: { storage, jobs: { leaseSeconds: 1 } } });
  opened.defer(() => instance.close());
  opened.defer(() => proxy.restore());
  const kept = opened.move();
  return { proxy, storage, instance, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

// Side by side: most of the time goes into waiting for what does not answer.
const define = (kind: StorageKind) =>
  describe('goes away', { concurrent: true }, () => {
    async function refused({ api }: TestInstance, method: string, path: string, body?: unknown): Promise<void> {
      const answer = await Promise.race([
        api.call(method, path, { body }),
        new Promise<never>((_resolve, reject) => {
          setTimeout(() => reject(new Error(`${method} ${path} was not answered`)), ANSWER_MS).unref();
        }),
      ]);
      expect([answer.status, answer.json.error?.code], answer.text).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(answer.text).not.toMatch(/(?:mongo|postgres).*:\d|127\.0\.0\.1/i);
    }

    async function survive(takeAway: (proxy: TcpProxy) => Promise<void> | void): Promise<void> {
      await using stage = await openStage(kind);
      const { instance, proxy, storage } = stage;
      const { api, receiver, world } = instance;
      const handles = Array.from({ length: CREATORS }, (_, index) => `outage${index}`);
      const scene = await prepareScene(api, world, receiver, handles);
      const attempts = await Promise.all(handles.map((handle) => openAttempt(api, scene, handle)));
      const [first = '', ...others] = attempts;
      const early = Promise.allSettled(others.slice(0, 3).map((attempt) => claim(api, attempt)));
      await takeAway(proxy);
      const back = Date.now() + OUTAGE_MS;
      do {
        await Promise.all([
          refused(instance, 'GET', '/campaigns'),
          refused(instance, 'PATCH', first, { action: 'claim_completion' }),
          refused(instance, 'POST', '/admin/brands', { name: 'Late', slug: 'late' }),
        ]);
        expect((await api.call('GET', '/healthz')).status).toBe(200);
        expect((await api.call('GET', '/readyz')).status).toBe(503);
      } while (Date.now() < back);
      await early;
      await proxy.restore();

      // Its failure says why the storage is not back. Not `expect.poll`: among tests side by side it may take itself to be outside of one.
      await vi.waitFor(() => storage.ping(), 60_000);
      expect((await api.call('GET', '/readyz')).status).toBe(200);
      // A busy server may still be late for a request or two.
      await Promise.all(attempts.map((attempt) => vi.waitFor(() => claim(api, attempt), WAIT)));
      await Promise.all(attempts.map((attempt) => expectRewarded(api, attempt)));
      await vi.waitFor(() => expectPoints(api, scene, CREATORS), WAIT);
      await expectAnnounced(api, scene, receiver, CREATORS);
    }

    it('with its connections cut: requests get 503, and nothing is lost when it is back', async () => {
      await survive((proxy) => proxy.cut());
    }, 300_000);

    it('without a word: requests get 503 in bounded time, and nothing is lost when it is back', async () => {
      await survive((proxy) => proxy.freeze());
    }, 300_000);
  });

await onMongo(() => {
  define('mongodb');

  it('is found again if the driver was amid a check of the server that never ends', async () => {
    const database = await createTestStorage('mongodb');
    const direct = new URL(database.url);
    const proxy = await createTcpProxy({ host: direct.hostname, port: Number(direct.port) });
    direct.port = String(proxy.port);
    const storage = mongodb({ url: `${direct.href}?directConnection=true`, connectTimeoutMs: 500 });
    await storage.open();
    // As of a connection that has just ended: the check is not sent, and the driver waits for the connection to drain.
    const stuck = Promise.withResolvers<void>();
    const write = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (this: Socket, ...args: unknown[]) {
      const isCheck = this.remotePort === proxy.port && /hello|ismaster/i.test(String(args[0]));
      if (!isCheck) return Reflect.apply(unspied, this, args);
      stuck.resolve();
      return false;
    });
    await stuck.promise;
    write.mockRestore();
    await proxy.cut();
    // The client is replaced during the outage.
    await sleep(CONNECT_TIMEOUT_MS);
    await expect(storage.ping()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await proxy.restore();
    await vi.waitFor(() => storage.ping(), { timeout: 30_000, interval: 200 });
    await storage.close();
    await proxy.close();
    await database.close();
  }, 60_000);
});
await onPostgres(() => define('postgres'));
