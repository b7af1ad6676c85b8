import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatchEvents, redeliverEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { createWebhookWorld, sampleEvent, type WebhookWorld } from './support.ts';

let world: WebhookWorld;
beforeEach(async () => {
  world = await createWebhookWorld();
});
afterEach(() => world.storage.close());

describe('dispatching an event', () => {
  it('that nobody wants writes nothing', async () => {
    const deliveries = { ...world.storage.deliveries, createMany: () => Promise.reject(new Error('written')) };
    const storage = { ...world.storage, deliveries };
    await dispatchEvents({ ...world.deps, storage })([{ entryId: 'e1', event: sampleEvent(1) }]);
    expect(world.woken.times).toBe(0);
  });

  it('stores many deliveries in pieces, and wakes the sender for each', async () => {
    for (let count = 0; count < 3; count += 1) await world.register();
    const due = Array.from({ length: 100 }, (_, at) => ({ entryId: `e${at}`, event: sampleEvent(world.brandId) }));
    await world.deps.dispatch(due);
    expect(world.woken.times).toBe(2);
  });

  it('again for nothing is no redelivery', async () => {
    await redeliverEvents(world.deps)([]);
    expect(world.woken.times).toBe(0);
  });
});
