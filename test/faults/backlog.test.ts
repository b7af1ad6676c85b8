/** Two hosts on one database send what waits in the outbox. One has a process of its own and is killed. */
import { expect, it, vi } from 'vitest';
import type { OutboxEntry } from '../../core/engagement/webhooks/outbox.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { onPostgres, type StorageKind } from '../support/storage.ts';
import { clientOf, prepareScene, WAIT } from './claim.ts';
import { startHostHere } from './host-here.ts';
import { killHostsAfterAll, openGround, startStandaloneHost } from './host-process.ts';

const EVENTS = 400;
/** What a process has sent and not stored yet when it is killed: the requests under way, and those of some milliseconds. */
const MOST_AGAIN = 256;

/** Attempts with an event in the outbox, as they stand when the hosts could not send for a while. */
async function storeBacklog(storage: Storage, brandId: number, challengeId: number, from: number): Promise<void> {
  const now = new Date();
  const eventOf = (attemptId: number): OutboxEntry => ({
    id: `backlog-${attemptId}`,
    kind: 'event',
    event: {
      event: 'creator.verified',
      timestamp: now,
      brandId,
      data: {
        challengeId,
        userId: attemptId,
        username: `person.${attemptId}`,
        platform: 'tiktok',
        campaignTitle: 'Autumn',
        attemptId,
        commentText: 'me too',
      },
    },
  });
  await storage.attempts.create(
    Array.from({ length: EVENTS }, (_, index) => ({
      attempt: {
        userId: from + index,
        challengeId,
        state: 'verified' as const,
        retryCount: 0,
        maxRetries: 3,
        lastVerificationAt: now,
        verificationDeadline: null,
        stateHistory: [{ state: 'verified' as const, at: now, reason: 'backlog' }],
        recheck: null,
        metadata: {},
        matchedComment: null,
        pointsAwarded: 0,
        verifiedAt: now,
        rewardedAt: null,
        createdAt: now,
        updatedAt: now,
        revision: 0,
      },
      outbox: (attemptId: number) => [eventOf(attemptId)],
    })),
  );
}

killHostsAfterAll();

async function sendAll(kind: StorageKind): Promise<void> {
  await using ground = await openGround(kind);
  const { simulator, receiver } = ground;
  const { storage } = ground.made;
  const env = { ...ground.env, JOB_LEASE_SECONDS: '1' };
  const doomed = await startStandaloneHost(env);
  await using survivor = await startHostHere(env);
  const api = clientOf(survivor.baseUrl);
  const scene = await prepareScene(api, simulator.world, receiver, []);
  const [, , , brandId] = scene.hooks.split('/').map(Number);
  const challengeId = Number(scene.challenge.split('/').at(-1));
  const idsSent = () => receiver.received.map(({ headers }) => String(headers['webhook-id'])).filter(isBacklog);
  const isBacklog = (id: string) => id.startsWith('msg_backlog');

  await storeBacklog(storage, brandId ?? 0, challengeId, 1_000);
  await vi.waitFor(() => expect(new Set(idsSent()).size).toBe(EVENTS), WAIT);
  await vi.waitFor(async () => expect(await storage.outbox.pending(1)).toEqual([]), WAIT);
  expect(idsSent()).toHaveLength(EVENTS);

  await storeBacklog(storage, brandId ?? 0, challengeId, 10_000);
  await vi.waitFor(() => expect(idsSent().length).toBeGreaterThan(EVENTS + 50), { timeout: 60_000, interval: 1 });
  await doomed.kill();
  await vi.waitFor(() => expect(new Set(idsSent()).size).toBe(2 * EVENTS), WAIT);
  await vi.waitFor(async () => expect(await storage.outbox.pending(1)).toEqual([]), WAIT);
  expect(idsSent().length - 2 * EVENTS).toBeLessThanOrEqual(MOST_AGAIN);
  const log = `${scene.webhook}/deliveries?event=creator.verified&limit=1`;
  await vi.waitFor(async () => {
    const answer = await api.call('GET', `${log}&status=succeeded`);
    expect(answer.json).toMatchObject({ pagination: { total: 2 * EVENTS } });
  }, WAIT);
}

const define = (kind: StorageKind) =>
  it(
    'each event is sent once; after a death all of them are sent, and none without being stored',
    () => sendAll(kind),
    300_000,
  );

define('sqlite');
await onPostgres(() => define('postgres'));
