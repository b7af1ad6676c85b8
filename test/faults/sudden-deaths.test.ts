/** The standalone host under load, killed at moments of nobody's choosing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createPlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { mongoServer } from '../support/mongo.ts';
import { startReceiver } from '../support/receiver.ts';
import { createTestStorage, STORAGE_KINDS, type StorageKind } from '../support/storage.ts';
import { claim, clientOf, expectAnnounced, expectPoints, expectRewarded, openAttempt, prepareScene } from './claim.ts';
import { hostEnvironment, killHostsAfterAll, startStandaloneHost } from './host-process.ts';

const CREATORS = 14;
/** Webhooks that have come in when the host is killed. */
const KILLED_AT: Readonly<Record<StorageKind, readonly number[]>> = { sqlite: [2, 12], mongodb: [6] };

async function surviveDeaths(kind: StorageKind): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-faults-'));
  const [simulator, receiver, storage] = await Promise.all([
    createPlatformSimulator(),
    startReceiver(),
    createTestStorage(kind),
  ]);
  const env = { ...hostEnvironment(storage.url, folder, simulator), JOB_LEASE_SECONDS: '1' };
  let host = await startStandaloneHost(env);
  try {
    const handles = Array.from({ length: CREATORS }, (_, index) => `${kind}.load${index}`);
    const api = clientOf(host.baseUrl);
    const scene = await prepareScene(api, simulator.world, receiver, handles);
    const attempts = await Promise.all(handles.map((handle) => openAttempt(api, scene, handle)));
    for (const count of KILLED_AT[kind]) {
      const claims = Promise.allSettled(attempts.map((attempt) => claim(clientOf(host.baseUrl), attempt)));
      await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(count), 60_000);
      await host.kill();
      await claims;
      host = await startStandaloneHost(env);
    }
    const after = clientOf(host.baseUrl);
    await Promise.all(attempts.map((attempt) => claim(after, attempt)));
    await Promise.all(attempts.map((attempt) => expectRewarded(after, attempt)));
    await expectPoints(after, scene, CREATORS);
    await expectAnnounced(after, scene, receiver, CREATORS);
  } finally {
    await host.kill();
    await storage.close();
    await receiver.close();
    await simulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

killHostsAfterAll();
const server = await mongoServer();

// Side by side: most of the time goes into waiting for the leases of the dead.
describe('a standalone host that is killed under load loses nothing and issues every reward once', () => {
  for (const kind of STORAGE_KINDS) {
    const skip = kind === 'mongodb' && !server.available;
    it(`on ${kind}${skip ? ' (SKIPPED: no MongoDB server)' : ''}`, { concurrent: true, skip, timeout: 300_000 }, () =>
      surviveDeaths(kind),
    );
  }
});
