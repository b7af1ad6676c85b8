import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dispatchEvents, redeliverEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { pendingDeliveries } from '../../contract/storage/samples.ts';
import { createWebhookWorld, sampleEvent, type WebhookWorld } from './support.ts';

let world: WebhookWorld;
beforeEach(async () => {
  world = await createWebhookWorld();
});
afterEach(() => world.storage.close());

const redeliver = () => redeliverEvents(world.deps)([sampleEvent(world.brandId)]);

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

  it('again is a delivery of its own every time', async () => {
    const { webhook } = await world.register();
    await redeliver();
    await redeliver();
    expect(await pendingDeliveries(world.storage.deliveries, webhook.id)).toHaveLength(2);
  });

  it('again reaches paused webhooks that want it, which a new event does not', async () => {
    const { webhook: paused } = await world.register();
    const { webhook: active } = await world.register();
    const { webhook: indifferent } = await world.register();
    await world.storage.webhooks.update(world.brandId, paused.id, { active: false });
    await world.storage.webhooks.update(world.brandId, indifferent.id, { events: ['reward.issued'] });
    const pendingOf = async () =>
      Promise.all(
        [paused, active, indifferent].map(
          async ({ id }) => (await pendingDeliveries(world.storage.deliveries, id)).length,
        ),
      );
    await world.dispatch('e2');
    expect(await pendingOf()).toEqual([0, 1, 0]);
    await redeliver();
    expect(await pendingOf()).toEqual([1, 2, 0]);
  });

  it('again for nothing is no redelivery', async () => {
    await redeliverEvents(world.deps)([]);
    expect(world.woken.times).toBe(0);
  });
});
