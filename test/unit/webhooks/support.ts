/** A storage with one brand, and what the webhook use cases need besides. */

import { afterEach, beforeEach } from 'vitest';
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import { type DeliverDeps, deliverer } from '../../../core/engagement/webhooks/deliver.ts';
import { dispatchEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { registerWebhook } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import type { AttemptEvent, EventName, WebhookEvent } from '../../../core/engagement/webhooks/outbox.ts';
import { webhookHeaders } from '../../../core/engagement/webhooks/signature.ts';
import type { Delivery } from '../../../core/engagement/webhooks/webhook.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { WebhookOutcome, WebhookTransport } from '../../../core/ports/webhook-transport.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createTestClock } from '../../support/test-clock.ts';

type WebhookWorld = Awaited<ReturnType<typeof createWebhookWorld>>;

/** Each test gets a world of its own. Returns the world of the test that runs. */
export function webhookWorldOfEachTest(): WebhookWorld {
  const world = {} as WebhookWorld;
  beforeEach(async () => void Object.assign(world, await createWebhookWorld()));
  afterEach(() => world.storage.close());
  return world;
}

export const answered = (status: number, retryAfter: string | null = null): WebhookOutcome => {
  return { kind: 'answered', status, retryAfter };
};

export const sending = (send: WebhookTransport['send']): WebhookTransport => ({ send, close: async () => {} });

async function createWebhookWorld() {
  const storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  const clock = createTestClock(new Date('2026-11-01T09:30:00Z'));
  const brand = async (slug: string) =>
    (await storage.brands.create({ name: slug, slug, logoUrl: null, createdAt: clock.now() }))?.id ?? 0;
  const brandId = await brand('one');
  /** How often the sender was woken. */
  const woken = { times: 0 };
  const wakeSender = () => {
    woken.times += 1;
  };
  let stored: readonly Delivery[] = [];
  const deliveries: Storage['deliveries'] = {
    ...storage.deliveries,
    async createMany(given) {
      stored = await storage.deliveries.createMany(given);
      return stored;
    },
  };
  const dispatch = dispatchEvents({ storage: { ...storage, deliveries }, clock, wakeSender });
  const secretBox = createSecretBox(new Uint8Array(32).fill(1));
  const deps = {
    storage,
    secretBox,
    egress: createEgressGuard(),
    brandEgress: createEgressGuard(),
    random: systemRandom,
    clock,
    wakeSender,
    dispatch,
  };
  return {
    storage,
    brandId,
    clock,
    deps,
    /** Dispatches an event; returns the ids of its deliveries that are pending. */
    async dispatch(entryId: string, event: WebhookEvent = sampleEvent(brandId)) {
      stored = [];
      await dispatch([{ entryId, event }]);
      return stored.filter(({ status }) => status === 'pending').map(({ id }) => id);
    },
    /** Sends a pending delivery once, as the loop does with one that it has claimed. Resolves to the time of the next try. */
    async deliver(
      deliveryId: number,
      changes: Partial<DeliverDeps> = {},
      signal = new AbortController().signal,
    ): Promise<Date | null> {
      const delivery = await storage.deliveries.find(deliveryId);
      if (delivery?.status !== 'pending') return null;
      const transport = sending(() => Promise.reject(new Error('Nothing is sent here.')));
      const subscribers = { find: () => undefined };
      const defaults = { storage, subscribers, secretBox, clock, logger: silentLogger, jitter: () => 0.5, transport };
      const store = await deliverer({ ...defaults, ...changes })({ delivery: { ...delivery, lease: 1 }, signal });
      return store();
    },
    register: (events: readonly EventName[] = ['creator.verified'], url = 'https://hooks.example.com/in') =>
      registerWebhook(deps)({ brandId, url, events, description: null }),
  };
}

export function sampleEvent(brandId: number, changes: Partial<AttemptEvent> = {}): AttemptEvent {
  return {
    event: 'creator.verified',
    timestamp: new Date('2026-11-01T09:29:59Z'),
    brandId,
    data: {
      challengeId: 1,
      userId: 2,
      username: 'anna',
      platform: 'instagram',
      campaignTitle: 'Autumn',
      attemptId: 3,
      commentText: 'great',
    },
    ...changes,
  };
}

/** As the sender makes them. */
export const signedHeaders = (secret: string, event: string, body: string, at = new Date()) =>
  webhookHeaders({ secret, messageId: 'msg_1', at, event, body });
