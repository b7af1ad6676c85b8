/** A process that serves requests wakes one that runs jobs, over PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { leased } from '../../adapters/leased-jobs/index.ts';
import { claim, expectRewarded, openAttempt, prepareScene, WAIT } from '../faults/claim.ts';
import { startInstance } from '../support/instance.ts';
import { inDatabase } from '../support/postgres.ts';
import { createTestStorage, onPostgres } from '../support/storage.ts';

const OF_LISTENERS =
  "FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle' AND query LIKE 'LISTEN%'";

await onPostgres(() => {
  it('jobs and deliveries of one process wake an idle worker of another, also after its connection was cut', async () => {
    const database = await createTestStorage('postgres');
    const config = { secrets: { key: randomBytes(32) } };
    const web = await startInstance({ storageUrl: database.url, config: { ...config, jobs: { run: false } } });
    // Its deliveries are never polled for, and its jobs later than a test waits.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const worker = await startInstance({
      storageUrl: database.url,
      world: web.world,
      config: { ...config, jobs: { queue: leased({ pollMs: 60_000 }) } },
    });
    vi.useRealTimers();
    const { api, receiver, world } = web;
    const listeners = () => inDatabase(database.url, `SELECT pid ${OF_LISTENERS}`);
    let last: unknown;
    const listens = () =>
      vi.waitFor(async () => {
        const [listener, ...others] = await listeners();
        expect(others).toEqual([]);
        expect(listener?.pid ?? last).not.toBe(last);
        last = listener?.pid;
      }, WAIT);
    const scene = await prepareScene(api, world, receiver, ['woken.ada']);
    const attempt = await openAttempt(api, scene, 'woken.ada');

    await listens();
    expect((await api.call('POST', `${scene.webhook}/test`)).status).toBe(202);
    await receiver.waitFor(1, 30_000);
    await inDatabase(database.url, `SELECT pg_terminate_backend(pid) ${OF_LISTENERS}`);
    await listens();
    await claim(api, attempt);
    await expectRewarded(api, attempt);

    await worker.close();
    await vi.waitFor(async () => expect(await listeners()).toEqual([]), WAIT);
    await web.close();
    await database.close();
  }, 60_000);
});
