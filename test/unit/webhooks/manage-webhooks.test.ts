import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getDelivery, listDeliveries, sendTestEvent } from '../../../core/engagement/webhooks/deliveries.ts';
import {
  deleteWebhook,
  listWebhooks,
  MAX_WEBHOOKS_PER_BRAND,
  registerWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../../core/engagement/webhooks/manage-webhooks.ts';
import { newDelivery } from '../../contract/storage/samples.ts';
import { createWebhookWorld, type WebhookWorld } from './support.ts';

let world: WebhookWorld;
beforeEach(async () => {
  world = await createWebhookWorld();
});
afterEach(() => world.storage.close());

describe('registering', () => {
  it('is refused beyond a number', async () => {
    for (let count = 0; count < MAX_WEBHOOKS_PER_BRAND; count += 1) await world.register();
    await expect(world.register()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'A brand has at most 100 webhooks; delete one first.',
    });
  });

  it('has no more of them for a brand that registers many at once', async () => {
    for (let count = 0; count < MAX_WEBHOOKS_PER_BRAND - 5; count += 1) await world.register();
    await Promise.allSettled(Array.from({ length: 20 }, () => world.register()));
    const kept = await world.storage.webhooks.list({ brandId: world.brandId });
    expect(kept.length).toBeLessThanOrEqual(MAX_WEBHOOKS_PER_BRAND);
  });
});

describe('changing', () => {
  it('of a webhook that asks for events about creators is for admins: for its brand it does not exist', async () => {
    const { brandId, deps } = world;
    const { webhook } = await world.register(['creator.verified', 'account.connected']);
    const ref = { brandId, webhookId: webhook.id, asBrand: true };
    const none = { code: 'NOT_FOUND', message: `Brand ${brandId} has no webhook ${webhook.id}.` };
    const url = 'https://elsewhere.example.com/';
    await expect(updateWebhook(deps)({ ...ref, changes: { url } })).rejects.toMatchObject(none);
    await expect(updateWebhook(deps)({ ...ref, changes: { events: ['reward.issued'] } })).rejects.toMatchObject(none);
    await expect(rotateWebhookSecret(deps)(brandId, webhook.id, true)).rejects.toMatchObject(none);
    await expect(deleteWebhook(deps)(brandId, webhook.id, true)).rejects.toMatchObject(none);
    await expect(sendTestEvent(deps)(brandId, webhook.id, true)).rejects.toMatchObject(none);
    const page = { page: 1, limit: 20 };
    await expect(listDeliveries(deps)(brandId, webhook.id, page, {}, true)).rejects.toMatchObject(none);
    expect(await listWebhooks(deps)(brandId, true)).toEqual([]);
    expect(await listWebhooks(deps)(brandId)).toEqual([webhook]);

    const own = await world.register(['creator.verified']);
    const events = ['account.connected'] as const;
    await expect(updateWebhook(deps)({ ...ref, webhookId: own.webhook.id, changes: { events } })).rejects.toMatchObject(
      { code: 'FORBIDDEN' },
    );
    const input = { brandId, url, description: null };
    await expect(registerWebhook(deps)({ ...input, events, asBrand: true })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    // An admin puts the event on it while the brand's change is under way.
    const webhooks = {
      ...world.storage.webhooks,
      async find(of: number, id: number) {
        const found = await world.storage.webhooks.find(id, of);
        await world.storage.webhooks.update(brandId, own.webhook.id, { events });
        return found;
      },
    };
    const racing = { ...deps, storage: { ...world.storage, webhooks } };
    await expect(updateWebhook(racing)({ ...ref, webhookId: own.webhook.id, changes: { url } })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await world.storage.webhooks.find(own.webhook.id)).toMatchObject({ url: own.webhook.url, events });
  });
});

describe('a test event', () => {
  it('about creators is not found by the brand, also once the webhook has become its own', async () => {
    const { deps, brandId, storage } = world;
    const { webhook } = await world.register(['creator.verified', 'account.connected']);
    const about = { ...newDelivery(webhook.id), brandId, event: 'account.connected' };
    const [sent] = await storage.deliveries.createMany([about]);
    const id = sent?.id ?? 0;
    await updateWebhook(deps)({ brandId, webhookId: webhook.id, changes: { events: ['creator.verified'] } });
    expect(await getDelivery(deps)(brandId, webhook.id, id)).toMatchObject({ id: sent?.id, body: about.body });
    await expect(getDelivery(deps)(brandId, webhook.id, id, true)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Webhook ${webhook.id} has no delivery ${id}.`,
    });
    const list = (asBrand: boolean, event?: string) =>
      listDeliveries(deps)(brandId, webhook.id, { page: 1, limit: 9 }, { event }, asBrand);
    expect((await list(false)).total).toBe(1);
    for (const event of [undefined, 'account.connected'])
      expect(await list(true, event)).toEqual({ items: [], total: 0 });
  });
});
