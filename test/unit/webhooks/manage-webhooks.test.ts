import { describe, expect, it } from 'vitest';
import { MAX_WEBHOOKS_PER_BRAND, updateWebhook } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import { answered, sending, webhookWorldOfEachTest } from './support.ts';

const world = webhookWorldOfEachTest();

describe('registering', () => {
  it('has no more of them for a brand that registers many at once', async () => {
    for (let count = 0; count < MAX_WEBHOOKS_PER_BRAND - 5; count += 1) await world.register();
    const many = await Promise.allSettled(Array.from({ length: 20 }, () => world.register()));
    const reason = { code: 'CONFLICT', message: 'A brand has at most 100 webhooks; delete one first.' };
    expect(many).toContainEqual({ status: 'rejected', reason: expect.objectContaining(reason) });
    const kept = await world.storage.webhooks.list({ brandId: world.brandId });
    expect(kept.length).toBeLessThanOrEqual(MAX_WEBHOOKS_PER_BRAND);
  });
});

describe('changing', () => {
  it('makes what is pending due when the webhook is activated, and nothing of others', async () => {
    const { brandId, clock, deps } = world;
    const { webhook } = await world.register();
    const { webhook: other } = await world.register();
    const ids = await world.dispatch('e1');
    const transport = sending(async () => answered(500, '36000'));
    for (const id of ids) await world.deliver(id, { transport });
    const change = (active: boolean) => updateWebhook(deps)({ brandId, webhookId: webhook.id, changes: { active } });
    await change(false);
    clock.pass(1_000);
    await change(true);
    const taken = await world.storage.deliveries.claim({ total: 9, each: 9, of: new Map() }, clock.now(), clock.now());
    expect(taken.map(({ target }) => target)).toEqual([webhook.id]);
    const waits = await world.storage.deliveries.list(other.id, { page: 1, limit: 9 }, { status: 'pending' });
    expect(Number(waits.items[0]?.nextTryAt)).toBeGreaterThan(clock.now().getTime());
  });

  it('by a brand is refused if an admin adds events about creators meanwhile', async () => {
    const { brandId, deps } = world;
    const events = ['account.connected'] as const;
    const own = await world.register(['creator.verified']);
    const ref = { brandId, webhookId: own.webhook.id, asBrand: true };
    const url = 'https://elsewhere.example.com/';
    const webhooks = {
      ...world.storage.webhooks,
      async find(of: number, id: number) {
        const found = await world.storage.webhooks.find(id, of);
        await world.storage.webhooks.update({ brandId, id: own.webhook.id }, { events });
        return found;
      },
    };
    const racing = { ...deps, storage: { ...world.storage, webhooks } };
    await expect(updateWebhook(racing)({ ...ref, changes: { url } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await world.storage.webhooks.find(own.webhook.id)).toMatchObject({ url: own.webhook.url, events });
  });
});
