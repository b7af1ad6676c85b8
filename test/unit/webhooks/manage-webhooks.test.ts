import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEgressGuard } from '../../../adapters/egress-guard/index.ts';
import { getDelivery, listDeliveries, sendTestEvent } from '../../../core/engagement/webhooks/deliveries.ts';
import {
  deleteWebhook,
  listWebhooks,
  MAX_WEBHOOKS_PER_BRAND,
  registerWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../../core/engagement/webhooks/manage-webhooks.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../../../core/engagement/webhooks/secret.ts';
import { newDelivery } from '../../contract/storage/samples.ts';
import { createWebhookWorld, type WebhookWorld } from './support.ts';

let world: WebhookWorld;
beforeEach(async () => {
  world = await createWebhookWorld();
});
afterEach(() => world.storage.close());

describe('registering', () => {
  it('stores an active webhook with its secret sealed', async () => {
    const { webhook, secret } = await world.register(['creator.verified', 'reward.issued', 'creator.verified']);
    expect(webhook).toMatchObject({
      brandId: world.brandId,
      active: true,
      events: ['creator.verified', 'reward.issued'],
      lastTriggeredAt: null,
    });
    expect(secret).toMatch(/^whsec_/);
    expect(JSON.stringify(webhook)).not.toContain(secret.slice(6));
    expect(world.deps.secretBox.open(webhook.sealedSecret, WEBHOOK_SECRET_CONTEXT)).toBe(secret);
    expect(await listWebhooks(world.deps)(world.brandId)).toEqual([webhook]);
    expect(await listWebhooks(world.deps)(world.otherBrandId)).toEqual([]);
  });

  it.each([
    'http://127.0.0.1/hook',
    'http://127.1/hook',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://10.1.2.3:8080/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://app.localhost/',
    'ftp://hooks.example.com/',
    'javascript:alert(1)',
    'https://user:pass@hooks.example.com/',
    'not a url',
  ])('refuses %s', async (url) => {
    await expect(world.register(['creator.verified'], url)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('webhook URL'),
    });
    const { webhook } = await world.register();
    const update = updateWebhook(world.deps)({ brandId: world.brandId, webhookId: webhook.id, changes: { url } });
    await expect(update).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('takes a private address inside the allow-list, on any port', async () => {
    const egress = createEgressGuard({ allow: ['127.0.0.0/8', '::1/128'] });
    for (const url of ['http://127.0.0.1:4000/hook', 'http://localhost:4000/hook']) {
      const input = { brandId: world.brandId, url, events: ['reward.issued'] as const, description: 'local' };
      expect((await registerWebhook({ ...world.deps, egress })(input)).webhook.url).toBe(url);
    }
  });

  it('asks no name server', async () => {
    const egress = createEgressGuard({
      lookup: () => {
        throw new Error('asked');
      },
    });
    const input = { brandId: world.brandId, url: 'https://hooks.example.com/', events: ['reward.issued'] as const };
    await registerWebhook({ ...world.deps, egress })({ ...input, description: null });
  });

  it('is refused for an unknown brand, and beyond a number', async () => {
    const input = { url: 'https://hooks.example.com/', events: ['reward.issued'] as const, description: null };
    await expect(registerWebhook(world.deps)({ ...input, brandId: 999 })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no brand 999.',
    });
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
  it('changes what is given and nothing else; null removes the description', async () => {
    const { webhook } = await world.register();
    const update = (changes: Parameters<ReturnType<typeof updateWebhook>>[0]['changes']) =>
      updateWebhook(world.deps)({ brandId: world.brandId, webhookId: webhook.id, changes });
    expect(await update({})).toEqual(webhook);
    expect(await update({ description: 'new' })).toEqual({ ...webhook, description: 'new' });
    expect(await update({ description: null, events: ['reward.issued', 'reward.issued'] })).toEqual({
      ...webhook,
      events: ['reward.issued'],
    });
    expect(await update({ url: 'https://other.example.com/' })).toMatchObject({ url: 'https://other.example.com/' });
  });

  it('is refused across brands', async () => {
    const { webhook } = await world.register();
    const ref = { brandId: world.otherBrandId, webhookId: webhook.id };
    await expect(updateWebhook(world.deps)({ ...ref, changes: {} })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(deleteWebhook(world.deps)(ref.brandId, ref.webhookId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Brand ${ref.brandId} has no webhook ${ref.webhookId}.`,
    });
    const page = { page: 1, limit: 20 };
    await expect(listDeliveries(world.deps)(ref.brandId, ref.webhookId, page)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(sendTestEvent(world.deps)(ref.brandId, ref.webhookId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(listWebhooks(world.deps)(999)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

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

  it('to inactive leaves what is pending, to active has it sent', async () => {
    const { webhook } = await world.register();
    const delivery = await sendTestEvent(world.deps)(world.brandId, webhook.id);
    const ref = { brandId: world.brandId, webhookId: webhook.id };
    await updateWebhook(world.deps)({ ...ref, changes: { active: false } });
    expect(await world.storage.deliveries.find(delivery.id)).toEqual(delivery);
    await expect(sendTestEvent(world.deps)(world.brandId, webhook.id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `Webhook ${webhook.id} is paused; set "active" to true before testing it.`,
    });
    expect(world.woken.times).toBe(1);
    for (const changes of [{ description: 'still paused' }, { active: false }]) {
      await updateWebhook(world.deps)({ ...ref, changes });
      expect(world.woken.times).toBe(1);
    }
    for (const _time of [1, 2]) {
      await updateWebhook(world.deps)({ ...ref, changes: { active: true } });
      expect(world.woken.times).toBe(2);
    }
  });

  it('anything else leaves what is pending alone, and the storage gets no more than what is given', async () => {
    const { webhook } = await world.register();
    const delivery = await sendTestEvent(world.deps)(world.brandId, webhook.id);
    const stored: unknown[] = [];
    const webhooks: typeof world.storage.webhooks = {
      ...world.storage.webhooks,
      update: (brandId, id, changes) => {
        stored.push(changes);
        return world.storage.webhooks.update(brandId, id, changes);
      },
    };
    const ref = { brandId: world.brandId, webhookId: webhook.id };
    const given = [{}, { active: true }, { url: 'https://other.example.com/' }, { description: null }];
    for (const changes of given)
      await updateWebhook({ ...world.deps, storage: { ...world.storage, webhooks } })({ ...ref, changes });
    expect(stored).toStrictEqual(given);
    expect(await world.storage.deliveries.find(delivery.id)).toMatchObject({ status: 'pending' });
  });

  it('of a webhook that is deleted meanwhile is refused', async () => {
    const { webhook } = await world.register();
    const webhooks = { ...world.storage.webhooks, update: async () => null };
    const ref = { brandId: world.brandId, webhookId: webhook.id };
    await expect(
      updateWebhook({ ...world.deps, storage: { ...world.storage, webhooks } })({ ...ref, changes: { active: false } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('rotating the secret', () => {
  it('makes a new one and keeps the one before for a day', async () => {
    const { webhook, secret: before } = await world.register();
    world.clock.advance(5_000);
    const rotated = await rotateWebhookSecret(world.deps)(world.brandId, webhook.id);
    const { sealedSecret, previousSecret } = rotated.webhook;
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(before);
    expect(world.deps.secretBox.open(sealedSecret, WEBHOOK_SECRET_CONTEXT)).toBe(rotated.secret);
    expect(world.deps.secretBox.open(previousSecret?.sealed ?? '', WEBHOOK_SECRET_CONTEXT)).toBe(before);
    const inADay = new Date(world.clock.now().getTime() + 86_400_000);
    expect([rotated.previousSecretExpiresAt, previousSecret?.validUntil]).toEqual([inADay, inADay]);
    expect(await listWebhooks(world.deps)(world.brandId)).toEqual([rotated.webhook]);
  });

  it('is refused within another brand', async () => {
    const { webhook } = await world.register();
    const rotating = rotateWebhookSecret(world.deps)(world.otherBrandId, webhook.id);
    await expect(rotating).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await listWebhooks(world.deps)(world.brandId)).toEqual([webhook]);
  });
});

describe('deleting', () => {
  it('removes the webhook and its log, once', async () => {
    const { webhook } = await world.register();
    const delivery = await sendTestEvent(world.deps)(world.brandId, webhook.id);
    await deleteWebhook(world.deps)(world.brandId, webhook.id);
    expect(await world.storage.deliveries.find(delivery.id)).toBeNull();
    await expect(deleteWebhook(world.deps)(world.brandId, webhook.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a test event', () => {
  it('is recorded and sent soon, whatever events the webhook wants', async () => {
    const { webhook } = await world.register(['reward.issued']);
    const delivery = await sendTestEvent(world.deps)(world.brandId, webhook.id);
    expect(delivery).toMatchObject({ event: 'webhook.test', status: 'pending', attemptId: null });
    expect(world.woken.times).toBe(1);
    const page = await listDeliveries(world.deps)(world.brandId, webhook.id, { page: 1, limit: 20 });
    expect(page).toEqual({ items: [delivery], total: 1 });
  });

  it('is found with its body below its webhook and its brand only', async () => {
    const { deps, brandId, otherBrandId } = world;
    const { webhook } = await world.register(['reward.issued']);
    const other = await world.register(['reward.issued']);
    const sent = await sendTestEvent(deps)(brandId, webhook.id);
    for (const asBrand of [true, false]) {
      expect(await getDelivery(deps)(brandId, webhook.id, sent.id, asBrand)).toEqual(sent);
      for (const [brand, id, delivery] of [
        [brandId, other.webhook.id, sent.id],
        [otherBrandId, webhook.id, sent.id],
        [brandId, webhook.id, sent.id + 1],
      ] as const) {
        await expect(getDelivery(deps)(brand, id, delivery, asBrand)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      }
    }
  });

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

  it('is a new message every time', async () => {
    const { webhook } = await world.register();
    const send = () => sendTestEvent(world.deps)(world.brandId, webhook.id);
    const ids = [await send(), await send()].map(({ messageId }) => messageId);
    for (const id of ids) expect(id).toMatch(/^msg_test_[0-9a-f]{32}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('is refused when the webhook is deleted meanwhile', async () => {
    const { webhook } = await world.register();
    const deliveries = { ...world.storage.deliveries, createMany: async () => [] };
    await expect(
      sendTestEvent({ ...world.deps, storage: { ...world.storage, deliveries } })(world.brandId, webhook.id),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `Webhook ${webhook.id} was deleted meanwhile.`,
    });
  });
});
