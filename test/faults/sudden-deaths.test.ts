/** The standalone host under load, killed at a moment of nobody's choosing; the one after it runs in this process. */
import { expect, it, vi } from 'vitest';
import { onPostgres, type StorageKind } from '../support/storage.ts';
import { claim, clientOf, expectAnnounced, expectPoints, expectRewarded, openAttempt, prepareScene } from './claim.ts';
import { startHostHere } from './host-here.ts';
import { killHostsAfterAll, openGround, startStandaloneHost } from './host-process.ts';

const CREATORS = 14;
/** Webhooks that have come in when the host is killed. */
const KILLED_AT = 6;

async function surviveDeath(kind: StorageKind): Promise<void> {
  await using ground = await openGround(kind);
  const { simulator, receiver } = ground;
  const env = { ...ground.env, JOB_LEASE_SECONDS: '1' };
  const host = await startStandaloneHost(env);
  const handles = Array.from({ length: CREATORS }, (_, index) => `load${index}`);
  const api = clientOf(host.baseUrl);
  const scene = await prepareScene(api, simulator.world, receiver, handles);
  const attempts = await Promise.all(handles.map((handle) => openAttempt(api, scene, handle)));
  const claims = Promise.allSettled(attempts.map((attempt) => claim(api, attempt)));
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(KILLED_AT), 60_000);
  await host.kill();
  await claims;
  await using next = await startHostHere(env);
  const after = clientOf(next.baseUrl);
  await Promise.all(attempts.map((attempt) => claim(after, attempt)));
  await Promise.all(attempts.map((attempt) => expectRewarded(after, attempt)));
  await expectPoints(after, scene, CREATORS);
  await expectAnnounced(after, scene, receiver, CREATORS);
}

killHostsAfterAll();

// Of several hosts on MongoDB: three-hosts.test.ts.
const define = (kind: StorageKind) =>
  it(
    'a standalone host that is killed under load loses nothing and issues every reward once',
    () => surviveDeath(kind),
    300_000,
  );

define('sqlite');
await onPostgres(() => define('postgres'));
