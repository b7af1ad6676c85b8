/** Four workers in two processes share one database; one process is stopped for longer than its leases last. */
import { describe, expect, it, vi } from 'vitest';
import type { Storage } from '../../core/ports/storage.ts';
import type { ReceivedWebhook } from '../support/receiver.ts';
import { onMongo, onPostgres, type StorageKind } from '../support/storage.ts';
import { byMessage, clientOf, EVENTS, expectOnce, expectPoints, prepareScene } from './claim.ts';
import { type HostProcess, killHostsAfterAll, openGround, startFaultyHost } from './host-process.ts';

/** Two events each: more deliveries than all workers claim at once. */
const CREATORS = 10;
const PROCESSES = 2;
const WORKERS_EACH = 2;
const LEASE_SECONDS = 2;
/** What a worker logs that finds its lease gone; a machine that is very busy may stall others too. */
const LEASE_LOST = /lease of a (job|delivery) lost|after its lease was lost/;

/** Which of the workers sent it. */
const workerOf = ({ headers }: ReceivedWebhook) => String(headers['x-worker']);

const idOf = ({ headers }: ReceivedWebhook) => headers['webhook-id'];

killHostsAfterAll();

/** Creators who have all commented already, past the API, which would take a request for each. */
async function registerAll(storage: Storage, challengeId: number): Promise<void> {
  const now = new Date();
  const handles = Array.from({ length: CREATORS }, (_, index) => `worker.test${index}`);
  const links = handles.map((handle) => ({
    externalId: `ext-${handle}`,
    email: `${handle}@example.com`,
    displayName: null,
    platform: 'tiktok' as const,
    handle,
    profileData: {},
    ownershipProven: false,
    now,
  }));
  while (links.length > 0) await Promise.all(links.splice(0, 50).map((link) => storage.creators.link(link)));
  const comments = handles.map((username, index) => ({
    platformCommentId: String(index + 1),
    username,
    commentText: 'Count me in',
    commentedAt: now,
  }));
  expect(await storage.comments.insertNew(challengeId, comments, now)).toBe(CREATORS);
}

const define = (kind: StorageKind) =>
  describe('four workers', () => {
    it('deliver every event; only what a stalled one had begun is sent twice', async () => {
      await using ground = await openGround(kind);
      const { simulator, receiver, made } = ground;
      const env = {
        ...ground.env,
        FAULTY_LEASE_SECONDS: String(LEASE_SECONDS),
        FAULTY_POLL_MS: '400',
        // So few that there are some for every worker.
        FAULTY_DELIVERIES: '2',
      };
      const workers = Array.from({ length: WORKERS_EACH }, () => ({}));
      const hosts = await Promise.all(Array.from({ length: PROCESSES }, () => startFaultyHost(env, workers)));
      const [first, stalled] = hosts as [HostProcess, HostProcess];
      const api = clientOf(first.baseUrl);
      const scene = await prepareScene(api, simulator.world, receiver, []);
      await registerAll(made.storage, Number(scene.challenge.split('/').at(-1)));
      const batch = api.call('POST', `${scene.campaign}/verify-and-reward`);
      receiver.hold();
      // All work by then, and the one that stalls waits for answers.
      await vi.waitFor(() => expect(new Set([...receiver.held].map(workerOf)).size).toBe(PROCESSES * WORKERS_EACH), {
        timeout: 240_000,
        interval: 100,
      });
      const isOfStalled = (one: ReceivedWebhook) => workerOf(one).startsWith(`${stalled.pid}.`);
      const begun = new Set([...receiver.held].filter(isOfStalled).map(idOf));
      stalled.signal('SIGSTOP');
      receiver.release();
      const before = receiver.received.length;
      const isTakenUp = (one: ReceivedWebhook) => begun.has(idOf(one)) && !isOfStalled(one);
      await vi.waitFor(() => expect(receiver.received.slice(before).some(isTakenUp)).toBe(true), 240_000);
      stalled.signal('SIGCONT');
      expect((await batch).json.data).toEqual({ matched: CREATORS, verified: CREATORS, rewarded: CREATORS });

      const expected = CREATORS * EVENTS.length;
      await vi.waitFor(() => expect(byMessage(receiver.received).size).toBe(expected), 300_000);
      await vi.waitFor(
        async () => {
          const { queued, running, dead } = await made.storage.jobs.stats(new Date());
          expect([queued, running, dead]).toEqual([0, 0, 0]);
        },
        { timeout: 120_000, interval: 500 },
      );
      await expectPoints(api, scene, CREATORS);

      // It was stopped in the middle of its work, and its work was done by others meanwhile.
      await vi.waitFor(() => expect(stalled.log()).toMatch(LEASE_LOST), 60_000);
      const lapsed = hosts.filter((host) => LEASE_LOST.test(host.log()));
      const isLapsed = (worker: string) => lapsed.some(({ pid }) => worker.startsWith(`${pid}.`));
      for (const [id, copies] of byMessage(receiver.received)) {
        // A worker that kept its lease sent it once, and again only if the receiver held it for longer than deliveries wait.
        const whole = copies.filter((copy) => !isLapsed(workerOf(copy)) && !receiver.cutOff.includes(copy));
        expect(whole.length, id).toBeLessThanOrEqual(1);
      }
      expectOnce(receiver, CREATORS);
    }, 900_000);
  });

await onMongo(() => define('mongodb'));
await onPostgres(() => define('postgres'));
