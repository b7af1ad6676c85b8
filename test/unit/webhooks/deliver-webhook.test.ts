import { beforeEach, describe, expect, it } from 'vitest';
import { type DeliverDeps, deliverer, type Held } from '../../../core/engagement/webhooks/deliver.ts';
import { readHealth, sendTestEvent } from '../../../core/engagement/webhooks/deliveries.ts';
import { listWebhooks, rotateWebhookSecret } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import type { EventName } from '../../../core/engagement/webhooks/outbox.ts';
import {
  serviceSignature,
  standardSignature,
  verifyStandardSignature,
} from '../../../core/engagement/webhooks/signature.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { WebhookOutcome, WebhookRequest } from '../../../core/ports/webhook-transport.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { answered, sending, webhookWorldOfEachTest } from './support.ts';

const world = webhookWorldOfEachTest();
let sent: WebhookRequest[];
let answers: WebhookOutcome[];
beforeEach(() => {
  sent = [];
  answers = [];
});

function deliver(deliveryId: number, changes: Partial<DeliverDeps> = {}, signal?: AbortSignal) {
  const transport = sending(async (request) => {
    sent.push(request);
    world.clock.pass(40);
    return answers.shift() ?? answered(204);
  });
  return world.deliver(deliveryId, { transport, ...changes }, signal);
}

/** Registers a webhook, dispatches one event to it, and returns the id of the delivery. */
async function pending(events: readonly EventName[] = ['creator.verified']) {
  const registered = await world.register(events);
  const [deliveryId = 0] = await world.dispatch('e1');
  return { ...registered, deliveryId };
}

const find = (id: number) => world.storage.deliveries.find(id);

describe('what the receiver answers', () => {
  it('is in the log, bounded and printable; nothing if it is no text', async () => {
    const { deliveryId } = await pending();
    for (const body of [`no \u001b[2J${'x'.repeat(2_000)}`, '', undefined]) {
      answers.push({ ...answered(500), ...(body !== undefined && { body }) } as WebhookOutcome);
      await deliver(deliveryId);
    }
    const [first, ...others] = (await find(deliveryId))?.tries ?? [];
    expect(first?.response).toBe(`no \\u001b[2J${'x'.repeat(1_012)}`);
    for (const one of others) expect(one).not.toHaveProperty('response');
    expect(others).toHaveLength(2);
  });

  it('leaves its last failure at the webhook, also after a success', async () => {
    const { deliveryId } = await pending();
    const shown = async () => (await readHealth(world.deps)(await listWebhooks(world.deps)(world.brandId)))[0]?.health;
    expect(await shown()).toEqual({ successRate: null, succeeded: 0, failed: 0, retrying: 0, lastFailure: null });
    answers.push(answered(503), answered(200));
    const lastFailure = { at: world.clock.now(), status: 503, error: 'The receiver answered 503.' };
    await deliver(deliveryId);
    expect(await shown()).toEqual({ successRate: 0, succeeded: 0, failed: 0, retrying: 1, lastFailure });
    await deliver(deliveryId);
    expect(await shown()).toEqual({ successRate: 1, succeeded: 1, failed: 0, retrying: 0, lastFailure });
  });
});

describe('a delivery', () => {
  it('is sent signed, recorded, and over when the receiver takes it', async () => {
    const { webhook, secret, deliveryId } = await pending();
    const startedAt = world.clock.now();
    await deliver(deliveryId);
    const [request] = sent;
    expect(request).toMatchObject({ url: webhook.url, deadlineMs: 10_000 });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ event: 'creator.verified', data: { attemptId: 3 } });
    expect(request?.headers).toMatchObject({
      'Content-Type': 'application/json',
      'User-Agent': 'Credence-Webhooks/1.0',
      'X-Service-Event': 'creator.verified',
      'X-Service-Signature': serviceSignature(secret, request?.body ?? ''),
      'webhook-id': 'msg_e1',
    });
    expect(await find(deliveryId)).toMatchObject({
      status: 'succeeded',
      tries: [{ at: startedAt, durationMs: 40, status: 204, error: null }],
      nextTryAt: null,
      finishedAt: world.clock.now(),
    });
    expect((await world.storage.webhooks.find(webhook.id))?.lastTriggeredAt).toEqual(startedAt);
    await deliver(deliveryId);
    expect(sent).toHaveLength(1);
  });

  it('is tried eight times with the same id and bytes, each with its own time, then given up', async () => {
    const { secret, deliveryId } = await pending();
    const waits: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      answers.push(
        count % 2 ? answered(500, '600') : { kind: 'failed', reason: 'timeout', message: 'The receiver slept.' },
      );
      const retryAt = await deliver(deliveryId);
      if (count === 7) {
        expect(retryAt).toBeNull();
        break;
      }
      const { nextTryAt, status } = (await find(deliveryId)) ?? {};
      expect(status).toBe('pending');
      expect(retryAt).toEqual(nextTryAt);
      const wait = (nextTryAt?.getTime() ?? 0) - world.clock.now().getTime();
      waits.push(wait);
      world.clock.pass(wait);
    }
    const hour = 3_600_000;
    expect(waits).toEqual([5_000, 600_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 10 * hour]);
    expect(new Set(sent.map(({ body, headers }) => `${body}${headers['webhook-id']}`)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8);
    const last = sent.at(-1);
    const headers = {
      id: last?.headers['webhook-id'],
      timestamp: last?.headers['webhook-timestamp'],
      signature: last?.headers['webhook-signature'],
    };
    expect(verifyStandardSignature(secret, headers, last?.body ?? '', world.clock.now())).toBe(true);
    const over = await find(deliveryId);
    expect(over).toMatchObject({ status: 'failed', nextTryAt: null, finishedAt: world.clock.now() });
    expect(over?.tries.map(({ status, error }) => status ?? error)).toEqual(
      [1, 2, 3, 4].flatMap(() => ['The receiver slept.', 500]),
    );
  });

  it('is signed with both secrets for a day after a rotation, then with the new one alone', async () => {
    const { webhook, secret: before, deliveryId } = await pending();
    const { secret } = await rotateWebhookSecret(world.deps)(world.brandId, webhook.id);
    answers.push(answered(500));
    await deliver(deliveryId);
    world.clock.pass(24 * 3_600_000);
    await deliver(deliveryId);
    const [during, after] = sent.map(({ headers, body }) => {
      const [id = '', at = ''] = [headers['webhook-id'], headers['webhook-timestamp']];
      const signedBy = (known: string) => ({
        standard: headers['webhook-signature']?.split(' ').includes(standardSignature(known, id, Number(at), body)),
        service: headers['X-Service-Signature'] === serviceSignature(known, body),
      });
      return { old: signedBy(before), new: signedBy(secret) };
    });
    expect(during).toEqual({ old: { standard: true, service: true }, new: { standard: true, service: false } });
    expect(after).toEqual({ old: { standard: false, service: false }, new: { standard: true, service: true } });
  });

  it('is signed with the new secret alone if the one before cannot be opened', async () => {
    const { webhook, deliveryId } = await pending();
    const secretBox = createSecretBox(new Uint8Array(32).fill(2));
    const { secret } = await rotateWebhookSecret({ ...world.deps, secretBox })(world.brandId, webhook.id);
    const logger = createRecordingLogger();
    await deliver(deliveryId, { secretBox, logger });
    expect(sent[0]?.headers['X-Service-Signature']).toBe(serviceSignature(secret, sent[0]?.body ?? ''));
    expect(logger.text()).toContain('the new one signs alone');
  });

  it('is cancelled if the webhook does not ask for its event any more; a test is sent all the same', async () => {
    const { webhook, deliveryId } = await pending();
    await world.storage.webhooks.update(webhook, { events: ['reward.issued'] });
    await deliver(deliveryId);
    expect(await find(deliveryId)).toMatchObject({ status: 'cancelled', nextTryAt: null });
    const sample = { event: 'creator.verified', data: {} } as const;
    const test = await sendTestEvent(world.deps)(world.brandId, webhook.id, false, sample);
    await deliver(test.id);
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual([test.messageId]);
  });
});

/** As the loop has it from a claim. */
async function claimed(id: number, lease: number): Promise<Held> {
  const delivery = await find(id);
  if (delivery === null) throw new Error('unreachable');
  return { delivery: { ...delivery, lease }, signal: new AbortController().signal };
}

const transport = sending(async () => answered(503));
const subscribers = { find: () => undefined };

describe('a webhook with many deliveries', () => {
  it('is read once in 100 ms, and gets nothing later than that after it is paused', async () => {
    const { webhook, deliveryId } = await pending();
    const deliver = deliverer({ ...world.deps, subscribers, logger: silentLogger, transport });
    for (const [waitMs, tries] of [
      [0, 1],
      [99, 2],
      [1, 2],
    ] as const) {
      world.clock.pass(waitMs);
      await (await deliver(await claimed(deliveryId, 1)))();
      expect((await find(deliveryId))?.tries).toHaveLength(tries);
      await world.storage.webhooks.update(webhook, { active: false });
    }
  });
});
