/** With BullMQ, jobs keep being handed out while the storage that their handlers need is away. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createBullMqJobQueue } from '../../adapters/bullmq-jobs/index.ts';
import { deliverWebhook, failDelivery } from '../../core/engagement/webhooks/deliver-webhook.ts';
import { createDeliveryGate } from '../../core/engagement/webhooks/delivery-gate.ts';
import {
  deliveryJob,
  dispatchEvent,
  dispatchJob,
  postponeDispatch,
} from '../../core/engagement/webhooks/dispatch-event.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../../core/engagement/webhooks/secret.ts';
import { DomainError } from '../../core/errors.ts';
import { systemClock as clock } from '../../core/ports/clock.ts';
import { silentLogger as logger } from '../../core/ports/logger.ts';
import { createSecretBox } from '../../core/security/secret-box.ts';
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { openTestStorage } from '../support/storage.ts';

/** A storage's part whose calls fail, as they do while it is away, whenever `isAway` says so. */
function detachable<T extends object>(part: T, isAway: () => boolean): T {
  return new Proxy(part, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...values: unknown[]) => {
        if (isAway()) throw new DomainError('SERVICE_UNAVAILABLE', 'The storage cannot be reached; try again.');
        return Reflect.apply(method, target, values);
      };
    },
  });
}

async function openWorld(url: string) {
  const { storage, close } = await openTestStorage('sqlite');
  let isAway = false;
  const reach = <T extends object>(part: T) => detachable(part, () => isAway);
  const reached = {
    webhooks: reach(storage.webhooks),
    deliveries: reach(storage.deliveries),
    subscribers: reach(storage.subscribers),
  };
  const queue = createBullMqJobQueue({
    url,
    prefix: randomUUID(),
    store: reach(storage.jobs),
    clock,
    logger,
    maxRuns: 3,
    backoffMs: 1,
    maxBackoffMs: 5,
  });
  const secretBox = createSecretBox(new Uint8Array(32).fill(1));
  const brand = await storage.brands.create({ name: 'b', slug: 'b', logoUrl: null, createdAt: clock.now() });
  const brandId = brand?.id ?? 0;
  const webhook = await storage.webhooks.create({
    brandId,
    url: 'https://hooks.example.com/in',
    events: ['creator.verified'],
    active: true,
    description: null,
    sealedSecret: secretBox.seal(`whsec_${'A'.repeat(43)}=`, WEBHOOK_SECRET_CONTEXT),
    lastTriggeredAt: null,
    createdAt: clock.now(),
  });
  const sent: string[] = [];
  const transport = {
    send: async ({ headers }: { headers: Readonly<Record<string, string>> }) => {
      sent.push(headers['webhook-id'] ?? '');
      return { kind: 'answered' as const, status: 200, retryAfter: null };
    },
    close: async () => undefined,
  };
  const starts = { deliver: 0, dispatch: 0, concluded: 0 };
  const deliver = deliverWebhook({
    ...{ storage: reached, transport, secretBox, clock, logger },
    gate: createDeliveryGate({ clock }),
  });
  const dispatch = dispatchEvent({ storage: reached, queue, clock });
  const fail = failDelivery({ storage: reached, clock, logger });
  const handlers = {
    'deliver-webhook': {
      run: (...input: Parameters<typeof deliver>) => {
        starts.deliver += 1;
        return deliver(...input);
      },
      onDeadLetter: (...input: Parameters<typeof fail>) => {
        starts.concluded += 1;
        return fail(...input);
      },
    },
    'dispatch-event': {
      run: (...input: Parameters<typeof dispatch>) => {
        starts.dispatch += 1;
        return dispatch(...input);
      },
      onDeadLetter: postponeDispatch({ queue, clock, logger }),
    },
  };
  const event = {
    event: 'creator.verified' as const,
    timestamp: clock.now(),
    brandId,
    data: {
      ...{ challengeId: 1, userId: 2, username: 'anna', platform: 'instagram' as const },
      ...{ campaignTitle: 'Autumn', attemptId: 3, commentText: 'great' },
    },
  };
  return {
    ...{ storage, webhookId: webhook.id, brandId, queue, handlers, starts, sent, event },
    leave: () => {
      isAway = true;
    },
    comeBack: () => {
      isAway = false;
    },
    async close() {
      await queue.stop(0);
      await queue.close();
      await close();
    },
  };
}

describeWithRedis('BullMQ and a storage that is away for long', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.close());

  it('nothing is lost and nothing fails, however often its jobs are tried meanwhile', async () => {
    const world = await openWorld(redis.url);
    const { storage, queue, starts } = world;
    try {
      const now = clock.now();
      const [pending] = await storage.deliveries.createMany([
        {
          ...{ messageId: 'msg_before', webhookId: world.webhookId, brandId: world.brandId, attemptId: 3 },
          ...{ event: 'creator.verified' as const, body: '{}', status: 'pending' as const, tries: [] },
          ...{ nextTryAt: now, createdAt: now, finishedAt: null },
        },
      ]);
      if (pending === undefined) throw new Error('no delivery');
      await queue.enqueue([deliveryJob(pending), dispatchJob('e1', world.event)]);
      world.leave();
      await queue.start(world.handlers);
      // Many times what a job may fail, be concluded, or be set aside.
      await vi.waitFor(() => expect(Math.min(starts.deliver, starts.dispatch)).toBeGreaterThan(20), 20_000);
      expect(await queue.stats()).toMatchObject({ dead: 0 });
      world.comeBack();
      await vi.waitFor(() => expect([...world.sent].sort()).toEqual(['msg_before', 'msg_e1']), 20_000);
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 0 }), 10_000);
      const all = await storage.deliveries.listByWebhook(world.webhookId, { page: 1, limit: 10 });
      expect(all.items.map(({ status, tries }) => [status, tries.length])).toEqual([
        ['succeeded', 1],
        ['succeeded', 1],
      ]);
      expect(starts.concluded).toBe(0);
      expect(await storage.jobs.stats(clock.now())).toEqual({ queued: 0, running: 0, dead: 0 });
    } finally {
      await world.close();
    }
  });

  it('a job given up just then is concluded when the storage is back, and leaves one record', async () => {
    const world = await openWorld(redis.url);
    const { storage, queue } = world;
    try {
      let runs = 0;
      let conclusions = 0;
      await queue.start({
        'issue-reward': {
          run: async () => {
            runs += 1;
            throw new Error('a defect');
          },
          onDeadLetter: async () => {
            conclusions += 1;
            // It goes away right after the first conclusion, before the copy is dropped.
            if (conclusions === 1) world.leave();
          },
        },
      });
      await queue.enqueue([{ type: 'issue-reward', key: 'reward:1', payload: { attemptId: 1 } }]);
      await vi.waitFor(() => expect(conclusions).toBeGreaterThan(4), 20_000);
      expect(await queue.stats()).toMatchObject({ dead: 0 });
      world.comeBack();
      await vi.waitFor(async () => expect(await queue.stats()).toEqual({ queued: 0, running: 0, dead: 1 }), 10_000);
      expect(runs).toBe(3);
      expect(await storage.jobs.stats(clock.now())).toEqual({ queued: 0, running: 0, dead: 0 });
    } finally {
      await world.close();
    }
  });
});
