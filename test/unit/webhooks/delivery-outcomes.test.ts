import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliverDeps } from '../../../core/engagement/webhooks/deliver.ts';
import { updateWebhook } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import type { WebhookOutcome } from '../../../core/ports/webhook-transport.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';
import { answered, sending, webhookWorldOfEachTest } from './support.ts';

const world = webhookWorldOfEachTest();
let logger: RecordingLogger;
let webhookId: number;
let deliveryId: number;

beforeEach(async () => {
  logger = createRecordingLogger();
  webhookId = (await world.register()).webhook.id;
  [deliveryId = 0] = await world.dispatch('e1');
});

const find = () => world.storage.deliveries.find(deliveryId);

/** One try that ends so. Resolves to the time of the next one, or to what was thrown. */
function deliver(outcome: WebhookOutcome, changes: Partial<DeliverDeps> = {}, signal?: AbortSignal): Promise<unknown> {
  const transport = sending(async () => outcome);
  return world.deliver(deliveryId, { logger, transport, ...changes }, signal).catch((error: unknown) => error);
}

describe('the outcome of a try', () => {
  it.each([
    [199, 'pending'],
    [200, 'succeeded'],
    [299, 'succeeded'],
    [300, 'pending'],
  ] as const)('that is answered %i: %s', async (status, expected) => {
    await deliver(answered(status));
    expect((await find())?.status).toBe(expected);
  });
});

describe('a 410 that comes late', () => {
  const during = (change: () => Promise<unknown>) => sending(() => change().then(() => answered(410)));
  const patch = (changes: { url?: string; active?: boolean }) =>
    updateWebhook(world.deps)({ brandId: world.brandId, webhookId, changes });

  it('does not pause a webhook that has a new receiver; the delivery goes there at once', async () => {
    const transport = during(() => patch({ url: 'https://new.example.com/in', active: true }));
    expect(await deliver(answered(410), { transport })).toEqual(world.clock.now());
    expect(await world.storage.webhooks.find(webhookId)).toMatchObject({ active: true });
    expect(logger.lines.map(({ level }) => level)).toEqual(['debug']);
    const urls: string[] = [];
    const next = sending(async ({ url }) => {
      urls.push(url);
      return answered(204);
    });
    expect(await deliver(answered(204), { transport: next })).toBeNull();
    expect(urls).toEqual(['https://new.example.com/in']);
    expect(await find()).toMatchObject({ status: 'succeeded' });
  });

  it('does not pause a webhook that was activated meanwhile; the delivery is tried at once', async () => {
    const transport = during(() => patch({ active: true }));
    expect(await deliver(answered(410), { transport })).toEqual(world.clock.now());
    expect(await world.storage.webhooks.find(webhookId)).toMatchObject({ active: true });
    // Still gone: now it is paused.
    await deliver(answered(410));
    expect(await world.storage.webhooks.find(webhookId)).toMatchObject({ active: false });
  });
});

describe('a try', () => {
  it('whose transport breaks down is a try like any other', async () => {
    const broken = sending(() => Promise.reject(new Error('broken')));
    expect(await deliver(answered(204), { transport: broken })).toEqual(expect.any(Date));
    expect(await find()).toMatchObject({ status: 'pending', tries: [{ status: null }] });
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  it('that was answered counts although the process is stopping', async () => {
    await deliver(answered(204), {}, AbortSignal.abort(new Error('stopping')));
    expect((await find())?.status).toBe('succeeded');
  });

  it('whose secret cannot be opened says so, and does not count while the process is stopping', async () => {
    const secretBox = createSecretBox(new Uint8Array(32).fill(2));
    const thrown = await deliver(answered(204), { secretBox }, AbortSignal.abort(new Error('stopping')));
    expect(thrown).toMatchObject({ message: 'stopping' });
    expect(await find()).toMatchObject({ status: 'pending', tries: [] });
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { webhookId, err: expect.any(Error) } }]);
    expect(await deliver(answered(204), { secretBox })).toEqual(expect.any(Date));
    expect((await find())?.tries).toMatchObject([{ status: null, error: expect.stringContaining('secret') }]);
  });
});
