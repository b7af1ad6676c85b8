import { expect } from 'vitest';
import type { JsonValue } from '../../support/client.ts';
import { createBrand, expectKeys, expectPages, subscribe } from '../fixtures.ts';
import type { Stage } from '../stage.ts';

const WEBHOOK_KEYS = 'id url events active description lastTriggeredAt createdAt';

export async function webhooks(stage: Stage): Promise<void> {
  const brandId = await createBrand(stage, 'webhooks');
  const other = await createBrand(stage, 'webhooks-other');
  const made = await subscribe(stage, brandId, ['creator.verified', 'reward.issued', 'creator.verified']);
  expectKeys(made, `${WEBHOOK_KEYS} secret`);
  expect(made).toMatchObject({ events: ['creator.verified', 'reward.issued'], active: true, lastTriggeredAt: null });
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const webhookId = Number(made.id);
  const params = { brandId, webhookId };

  const list = (await stage.ok(200, 'listWebhooks', { params: { brandId } })).data;
  expectKeys(list?.['0'], `${WEBHOOK_KEYS} health`);
  await expectPages(stage, 'listWebhooks', { params: { brandId } });
  expect((await stage.ok(200, 'listWebhooks', { params: { brandId: other } })).data).toEqual([]);
  await stage.refuse('NOT_FOUND', 'listWebhooks', { params: { brandId: 999_999 } });

  for (const wrong of [
    {},
    { url: 'https://hooks.example.com/' },
    { url: 'https://hooks.example.com/', events: [] },
    { url: 'https://hooks.example.com/', events: ['creator.unknown'] },
    { url: 'ftp://hooks.example.com/', events: ['reward.issued'] },
    { url: 'https://user:word@hooks.example.com/', events: ['reward.issued'] },
    { url: 'http://10.0.0.1/', events: ['reward.issued'] },
    { url: 'http://[fd00::1]/', events: ['reward.issued'] },
    { url: 'http://169.254.169.254/latest/meta-data', events: ['reward.issued'] },
    { url: 'http://0x0a000001/', events: ['reward.issued'] },
  ]) {
    await stage.refuse('INVALID_REQUEST', 'createWebhook', { params: { brandId }, body: wrong });
    await stage.refuse('INVALID_REQUEST', 'updateWebhook', { params, body: { events: [], ...wrong } });
  }
  const valid = { url: 'https://hooks.example.com/', events: ['reward.issued'] };
  await stage.refuse('NOT_FOUND', 'createWebhook', { params: { brandId: 999_999 }, body: valid });

  const test = await stage.ok(202, 'testWebhook', { params });
  expectKeys(test.data, 'id messageId event attemptId challengeId status tries nextTryAt createdAt finishedAt');
  const [event] = await stage.events(1);
  stage.note('test event', event);
  expect(event?.event).toBe('webhook.test');
  const log = await stage.until(
    'listWebhookDeliveries',
    { params },
    ({ data }) => data?.['0']?.status?.toString() === 'succeeded',
  );
  expectKeys(log, 'data pagination');
  expect(log.pagination).toEqual({ page: 1, limit: 20, total: 1 });
  expectKeys(log.data?.['0']?.tries?.['0'], 'at durationMs status error');
  const deliveryId = Number(log.data?.['0']?.id);
  const sent = (await stage.ok(200, 'getWebhookDelivery', { params: { ...params, deliveryId } })).data;
  const { body, ...listed } = sent as Record<string, JsonValue>;
  expect(listed).toEqual(log.data?.['0']);
  expect(JSON.parse(String(body))).toEqual(event);
  await stage.refuse('NOT_FOUND', 'getWebhookDelivery', { params: { ...params, deliveryId: 999_999 } });
  await stage.refuse('NOT_FOUND', 'getWebhookDelivery', { params: { brandId: other, webhookId, deliveryId } });
  for (const [status, total] of [
    ['succeeded', 1],
    ['failed', 0],
  ] as const) {
    const query = { status, event: 'webhook.test' };
    expect((await stage.ok(200, 'listWebhookDeliveries', { params, query })).pagination?.total).toBe(total);
  }
  const sample = await stage.ok(202, 'testWebhook', { params, body: { event: 'reward.issued' } });
  expect(sample.data).toMatchObject({ event: 'reward.issued', attemptId: null });
  const [shown] = await stage.events(1);
  stage.note('sample of an event', shown);
  expect(shown).toMatchObject({ event: 'reward.issued', data: { points: 50 } });
  await stage.refuse('INVALID_REQUEST', 'testWebhook', { params, body: { event: 'unknown' } });
  await stage.refuse('INVALID_REQUEST', 'testWebhook', { params, body: { name: 'reward.issued' } });
  await stage.refuse('INVALID_REQUEST', 'listWebhookDeliveries', { params, query: { status: 'lost' } });
  await stage.refuse('INVALID_REQUEST', 'listWebhookDeliveries', { params, query: { event: 'unknown' } });
  await stage.refuse('NOT_FOUND', 'listWebhookDeliveries', { params: { brandId: other, webhookId } });
  await stage.refuse('INVALID_REQUEST', 'listWebhookDeliveries', { params, query: { limit: 101 } });

  const since = '2026-01-01T00:00:00Z';
  const replayed = await stage.ok(200, 'replayWebhookDeliveries', { params, body: { since } });
  expect(replayed.data).toEqual({ replayed: 0, left: 0 });
  await stage.ok(200, 'listWebhookDeliveries', { params, query: { failedSince: since } });
  await stage.refuse('INVALID_REQUEST', 'replayWebhookDeliveries', { params, body: {} });
  await stage.refuse('INVALID_REQUEST', 'replayWebhookDeliveries', { params, body: { since: 'yesterday' } });
  await stage.refuse('NOT_FOUND', 'replayWebhookDeliveries', {
    params: { brandId: other, webhookId },
    body: { since },
  });

  stage.instance.credence.on('verification.failed', () => undefined, { name: 'parity' });
  const subscribers = await stage.until('listSubscribers', {}, ({ data }) => data?.['0'] !== undefined);
  expect(subscribers.data).toEqual([{ name: 'parity', events: ['verification.failed'] }]);
  await expectPages(stage, 'listSubscribers');
  const handled = await stage.ok(200, 'listSubscriberDeliveries', { params: { name: 'parity' } });
  expect(handled).toEqual({ data: [], pagination: { page: 1, limit: 20, total: 0 } });
  const none = { params: { name: 'parity' }, query: { status: 'failed', event: 'reward.issued' } };
  expect((await stage.ok(200, 'listSubscriberDeliveries', none)).pagination?.total).toBe(0);
  const lost = { params: { name: 'parity' }, query: { status: 'lost' } };
  await stage.refuse('INVALID_REQUEST', 'listSubscriberDeliveries', lost);
  await stage.refuse('NOT_FOUND', 'listSubscriberDeliveries', { params: { name: 'nobody' } });
  await stage.refuse('INVALID_REQUEST', 'listSubscriberDeliveries', { params: { name: 'no body' } });
  await stage.instance.credence.off('parity');

  const changed = await stage.ok(200, 'updateWebhook', {
    params,
    body: { active: false, description: 'paused', events: ['verification.failed'] },
  });
  await stage.refuse('INVALID_REQUEST', 'updateWebhook', { params, body: { secret: 'chosen' } });
  expectKeys(changed.data, WEBHOOK_KEYS);
  expect(changed.data).toMatchObject({ active: false, description: 'paused', events: ['verification.failed'] });
  await stage.refuse('CONFLICT', 'testWebhook', { params });
  expect((await stage.ok(200, 'updateWebhook', { params, body: { description: null } })).data?.description).toBeNull();
  const describe = (description: string) => stage.ok(200, 'updateWebhook', { params, body: { description } });
  expect((await describe('again')).data?.description).toBe('again');
  expect((await describe('')).data?.description).toBeNull();
  const paused = await stage.ok(201, 'createWebhook', { params: { brandId }, body: { ...valid, active: false } });
  expect(paused.data?.active).toBe(false);
  await stage.ok(200, 'deleteWebhook', { params: { brandId, webhookId: Number(paused.data?.id) } });
  const bare = await stage.ok(201, 'createWebhook', { params: { brandId }, body: { ...valid, description: '' } });
  expect(bare.data?.description).toBeNull();
  await stage.ok(200, 'updateWebhook', { params, body: {} });
  await stage.refuse('INVALID_REQUEST', 'updateWebhook', { params, body: { active: 'yes' } });
  await stage.refuse('NOT_FOUND', 'updateWebhook', { params: { brandId: other, webhookId }, body: { active: true } });

  const rotated = await stage.ok(200, 'rotateWebhookSecret', { params });
  expectKeys(rotated.data, `${WEBHOOK_KEYS} secret previousSecretExpiresAt`);
  expect(rotated.data?.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(rotated.data?.secret).not.toBe(made.secret);
  await stage.refuse('NOT_FOUND', 'rotateWebhookSecret', { params: { brandId: other, webhookId } });

  await stage.refuse('NOT_FOUND', 'deleteWebhook', { params: { brandId: other, webhookId } });
  expect(await stage.ok(200, 'deleteWebhook', { params })).toEqual({ ok: true });
  await stage.refuse('NOT_FOUND', 'deleteWebhook', { params });
  await stage.refuse('NOT_FOUND', 'testWebhook', { params });
}
