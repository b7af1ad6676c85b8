/** Webhooks over the wire: a running instance, real receivers, the public API only. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { verifyServiceSignature, verifyStandardSignature } from '../../core/engagement/webhooks/signature.ts';
import type { Storage } from '../../core/ports/storage.ts';
import { newDelivery } from '../contract/storage/samples.ts';
import { actingOn } from '../support/campaign.ts';
import type { ApiClient, JsonValue } from '../support/client.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import type { ReceivedWebhook, Receiver } from '../support/receiver.ts';

const EVENTS = ['creator.verified', 'reward.issued', 'verification.failed'];

let instance: TestInstance;
let storage: Storage;
let api: ApiClient;
let receiver: Receiver;
let acting: ReturnType<typeof actingOn>;
type Scene = Awaited<ReturnType<typeof acting.campaign>>;
let creators = 0;

beforeEach(async () => {
  storage = createSqliteStorage({ path: ':memory:' });
  instance = await startInstance({ config: { storage, delayScale: 0.0002 } });
  ({ api, receiver } = instance);
  acting = actingOn(api);
  return () => instance.close();
});

/** Takes a new creator through the campaign. Returns the path of the attempt. */
function reward(at: Scene): Promise<string> {
  creators += 1;
  return at.reward(`user${creators}`);
}

const bodies = (received: readonly ReceivedWebhook[]) => received.map(({ body }) => JSON.parse(body));
const finished = (path: string, count: number) =>
  vi.waitFor(async () => {
    const { json } = await api.call('GET', path);
    const deliveries = json.data as unknown as {
      status: string;
      tries: { status: number }[];
      nextTryAt: string | null;
    }[];
    expect(deliveries).toHaveLength(count);
    for (const { status } of deliveries) expect(status).not.toBe('pending');
    return deliveries;
  }, 10_000);

describe('webhooks over the wire', () => {
  it('announce verification and reward, signed both ways', async () => {
    const at = await acting.campaign();
    const webhook = await acting.make(at.hooks, { url: receiver.url, events: EVENTS, description: 'mine' });
    await reward(at);
    const received = await receiver.waitFor(2);
    const secret = String(webhook.secret);
    for (const { headers, body } of received) {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['x-service-event']).toBe(JSON.parse(body).event);
      expect(verifyServiceSignature(secret, String(headers['x-service-signature']), body)).toBe(true);
      const standard = {
        id: headers['webhook-id'] as string,
        timestamp: headers['webhook-timestamp'] as string,
        signature: headers['webhook-signature'] as string,
      };
      expect(verifyStandardSignature(secret, standard, body, new Date())).toBe(true);
    }
    const events = bodies(received);
    const data = {
      challengeId: at.challengeId,
      externalUserId: `user${creators}`,
      username: `user${creators}`,
      platform: 'instagram',
      campaignTitle: 'Autumn',
    };
    expect(events.find(({ event }) => event === 'creator.verified')).toMatchObject({ data });
    expect(events.find(({ event }) => event === 'reward.issued')).toMatchObject({ data: { ...data, points: 25 } });
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  });

  it('that failed since a time are sent again, with all their retries, once', async () => {
    const at = await acting.campaign();
    const webhook = await acting.make(at.hooks, { url: receiver.url, events: ['creator.verified'] });
    const path = `${at.hooks}/${webhook.id}/deliveries`;
    receiver.answers.push(500, 500);
    const tries = Array.from({ length: 8 }, () => ({ at: new Date(), durationMs: 1, status: 500, error: 'no' }));
    const failed = { status: 'failed', tries, nextTryAt: null, finishedAt: new Date() } as const;
    await storage.deliveries.createMany([newDelivery(Number(webhook.id), failed)]);
    const since = new Date(Date.now() - 60_000).toISOString();
    const replay = async (body: object) => (await api.call('POST', `${path}/replay`, { body })).json.data;
    expect(await replay({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual({ replayed: 0, left: 0 });
    expect((await api.call('GET', `${path}?failedSince=${since}`)).json.pagination?.total).toBe(1);
    expect(await replay({ since })).toEqual({ replayed: 1, left: 0 });
    expect(await replay({ since })).toEqual({ replayed: 0, left: 0 });
    const [delivery] = await finished(path, 1);
    expect(delivery?.tries.map(({ status }) => status)).toEqual([...Array<number>(10).fill(500), 204]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('are paused by 410 and by PATCH, and continue when activated again', async () => {
    const at = await acting.campaign();
    const webhook = await acting.make(at.hooks, { url: receiver.url, events: ['reward.issued'] });
    const path = `${at.hooks}/${webhook.id}`;
    receiver.answers.push(410);
    await reward(at);
    await vi.waitFor(async () => {
      expect((await api.call('GET', at.hooks)).json.data).toMatchObject([{ active: false }]);
    }, 10_000);
    const log = await api.call('GET', `${path}/deliveries`);
    expect(log.json.data).toMatchObject([{ status: 'pending', tries: [{ status: 410 }], finishedAt: null }]);
    expect((await api.call('POST', `${path}/test`)).status).toBe(409);
    expect((await api.call('PATCH', path, { body: { active: false } })).json.data).toMatchObject({ active: false });
    expect((await api.call('PATCH', path, { body: { active: true } })).json.data).toMatchObject({ active: true });
    const [first, again] = await receiver.waitFor(2);
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const [delivery] = await finished(`${path}/deliveries`, 1);
    expect(delivery?.tries.map(({ status }) => status)).toEqual([410, 204]);
    const test = await api.call('POST', `${path}/test`);
    expect(test.status).toBe(202);
    await receiver.waitFor(3);
    expect(receiver.received.at(-1)?.headers['x-service-event']).toBe('webhook.test');
    await finished(`${path}/deliveries`, 2);
    expect((await api.call('DELETE', path)).json).toEqual({ ok: true });
    expect((await api.call('DELETE', path)).status).toBe(404);
  });

  it('are replayed on demand as the same messages, to a webhook that is new too', async () => {
    const at = await acting.campaign();
    const webhook = await acting.make(at.hooks, { url: receiver.url, events: EVENTS });
    const attempt = await reward(at);
    await receiver.waitFor(2);
    await acting.make(at.hooks, { url: receiver.url, events: ['reward.issued'] });
    const answer = await api.call('POST', `${attempt}/redeliver-webhooks`);
    expect(answer.json.data).toMatchObject({ redelivered: ['creator.verified', 'reward.issued'] });
    await api.call('POST', `${attempt}/redeliver-webhooks`, { body: { events: ['reward.issued'] } });
    const received = await receiver.waitFor(7);
    const messages = new Set(received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`));
    expect(messages.size).toBe(2);
    const log = (await finished(`${at.hooks}/${webhook.id}/deliveries`, 5)) as readonly { messageId?: string }[];
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(log.map(({ messageId }) => messageId))).toEqual(new Set(ids));
    const test = await api.call('POST', `${at.hooks}/${webhook.id}/test`);
    expect((await receiver.waitFor(8)).at(-1)?.headers['webhook-id']).toBe((test.json.data as JsonValue).messageId);
    expect(ids).not.toContain((test.json.data as JsonValue).messageId);
  });

  it('are replayed during a pause too, and sent after it', async () => {
    const at = await acting.campaign();
    const webhook = await acting.make(at.hooks, { url: receiver.url, events: ['reward.issued'] });
    const path = `${at.hooks}/${webhook.id}`;
    await api.call('PATCH', path, { body: { active: false } });
    const attempt = await reward(at);
    await vi.waitFor(async () => {
      expect((await api.call('GET', attempt)).json.data).toMatchObject({ state: 'rewarded' });
    }, 10_000);
    const answer = await api.call('POST', `${attempt}/redeliver-webhooks`);
    expect(answer.json).toMatchObject({ data: { redelivered: ['creator.verified', 'reward.issued'] } });
    expect(answer.text).toContain('no webhook or subscriber wants it: creator.verified.');
    await vi.waitFor(async () => {
      const log = await api.call('GET', `${path}/deliveries`);
      expect(log.json.data).toMatchObject([{ status: 'pending', event: 'reward.issued', tries: [] }]);
    }, 10_000);
    expect(receiver.received).toEqual([]);
    await api.call('PATCH', path, { body: { active: true } });
    const [received] = await receiver.waitFor(1);
    expect(bodies(received === undefined ? [] : [received])).toMatchObject([{ event: 'reward.issued' }]);
    await finished(`${path}/deliveries`, 1);
  });

  it('about creators reach neither the URL nor the log of a brand that an admin has given the webhook', async () => {
    const at = await acting.campaign();
    const { brandId } = at;
    const events = ['reward.issued', 'account.connected'];
    const webhook = await acting.make(at.hooks, { url: 'http://127.0.0.1:9/operator', events, active: false });
    const path = `${at.hooks}/${webhook.id}`;
    const about = { brandId, event: 'account.connected' };
    await storage.deliveries.createMany([1, 2].map(() => newDelivery(Number(webhook.id), about)));
    const { token } = await acting.make('/admin/tokens', { name: 'brand', role: 'brand', brandId });
    const asBrand = (method: string, route: string, body?: object) =>
      api.call(method, route, { token: String(token), ...(body === undefined ? {} : { body }) });
    expect((await asBrand('PATCH', path, { url: receiver.url })).status).toBe(404);
    await api.call('PATCH', path, { body: { events: ['reward.issued'] } });
    expect((await asBrand('PATCH', path, { url: receiver.url, active: true })).status).toBe(200);
    await reward(at);
    const [received] = await receiver.waitFor(1);
    expect(received?.headers['x-service-event']).toBe('reward.issued');
    const log = await finished(`${path}/deliveries`, 3);
    expect(log.map(({ status }) => status)).toEqual(['succeeded', 'cancelled', 'cancelled']);
    const own = await asBrand('GET', `${path}/deliveries`);
    expect(own.json).toMatchObject({ data: [{ event: 'reward.issued' }], pagination: { total: 1 } });
    expect(receiver.received).toHaveLength(1);
  });
});
