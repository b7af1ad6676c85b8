/** Events in process, through whole instances that share a storage: with either storage, and with either queue. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { type Credence, createCredence, type SubscriberEvent } from '../../plugins/compose/index.ts';
import { closingAfterEach } from '../support/closing.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { describeWithRedis, startRedis } from '../support/redis.ts';
import { createTestStorage, onMongo, type StorageKind } from '../support/storage.ts';

const NAME = { name: 'points-ledger' };
const WAIT = { timeout: 20_000 };

const closing = closingAfterEach();

/** Verifies a creator by an admin's word; both events follow. */
async function reward({ credence, receiver, world }: TestInstance): Promise<void> {
  const { contentId, url: targetUrl } = world.addPost({ platform: 'tiktok', owner: 'acme', comments: 1 });
  const brand = await credence.brands.create({ name: 'Acme', slug: `acme-${contentId}` });
  await credence.webhooks.create({ brandId: brand.id, url: receiver.url, events: ['reward.issued'] });
  const { challenge } = await credence.campaigns.create({
    brandId: brand.id,
    title: 'Spring',
    pointsReward: 50,
    challenge: { targetUrl },
  });
  const externalId = `user-${contentId}`;
  await credence.creators.register({ externalId, platform: 'tiktok', handle: `ada${contentId}` });
  const { id } = await credence.attempts.create({ challengeId: challenge.id, externalId });
  await credence.attempts.forceVerify({ challengeId: challenge.id, attemptId: id });
}

const messages = ({ receiver }: TestInstance) => receiver.received.map(({ headers }) => headers['webhook-id']);

async function play(kind: StorageKind, config: Parameters<typeof createCredence>[0]): Promise<void> {
  const database = await createTestStorage(kind);
  closing.push(() => database.close());
  const instance = await startInstance({ storageUrl: database.url, config });
  closing.push(() => instance.close());
  const logger = createRecordingLogger();
  const open = (): Credence => {
    const credence = createCredence({ ...config, storage: { url: database.url } }, { logger });
    closing.push(() => credence.stop());
    return credence;
  };
  const seen: SubscriberEvent<'reward.issued'>[] = [];
  const withSubscriber = open();
  withSubscriber.on(
    'reward.issued',
    async (event) => {
      seen.push(event);
      if (seen.length === 1) throw new Error('the ledger is locked');
    },
    NAME,
  );
  await withSubscriber.start();
  expect(await instance.credence.subscribers.list()).toEqual([{ ...NAME, events: ['reward.issued'] }]);

  // Whichever process dispatches it, the one with the subscriber handles it, again after it failed.
  await reward(instance);
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), WAIT);
  await vi.waitFor(() => expect(messages(instance)).toHaveLength(1), WAIT);
  expect(seen[0]).toMatchObject({
    event: 'reward.issued',
    timestamp: expect.any(Date),
    data: { points: 50, platform: 'tiktok' },
    messageId: messages(instance)[0],
    deliveryAttempt: 1,
  });
  await vi.waitFor(async () => {
    const [failed] = (await instance.credence.subscribers.listDeliveries(NAME)).data;
    expect(failed?.tries[0]).toMatchObject({ status: null, error: 'Error: the ledger is locked' });
  }, WAIT);

  // Nobody has the subscriber: its events wait, and one who registers it gets them.
  await withSubscriber.stop();
  await reward(instance);
  await vi.waitFor(() => expect(messages(instance)).toHaveLength(2), WAIT);
  const again: SubscriberEvent[] = [];
  const restarted = open();
  await restarted.start();
  await vi.waitFor(async () => {
    expect((await instance.credence.subscribers.listDeliveries(NAME)).pagination.total).toBe(2);
  }, WAIT);
  restarted.on('reward.issued', (event) => void again.push(event), NAME);
  await vi.waitFor(() => expect(again.map(({ messageId }) => messageId)).toContain(messages(instance)[1]), WAIT);
  await vi.waitFor(async () => {
    const { data } = await instance.credence.subscribers.listDeliveries(NAME);
    expect(data.map(({ status, tries }) => ({ status, tries: tries.length }))).toEqual([
      { status: 'succeeded', tries: 1 },
      { status: 'succeeded', tries: 2 },
    ]);
  }, WAIT);
}

const SHARED = { delayScale: 0.3, secrets: { key: randomBytes(32) }, egress: { allow: ['127.0.0.0/8'] } };

// A queue sees the storage through its port only: each with each would show no more.
describe('a subscriber in one of several processes on SQLite', () => {
  it('gets every event, failed and missed ones too', () => play('sqlite', SHARED), 60_000);
});

await onMongo(() => {
  describeWithRedis('a subscriber in one of several processes, with jobs in Redis', () => {
    it('gets every event, failed and missed ones too', async () => {
      const redis = await startRedis();
      closing.push(() => redis.close());
      await play('mongodb', { ...SHARED, jobs: { queue: 'bullmq' }, redisUrl: redis.url });
    }, 60_000);
  });
});

it('a process that runs no jobs says that its subscribers get no events', async () => {
  const logger = createRecordingLogger();
  const credence = createCredence({ storage: { url: 'sqlite::memory:' }, jobs: { run: false } }, { logger });
  closing.push(() => credence.stop());
  credence.on('*', () => undefined, NAME);
  await credence.start();
  expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'warn', fields: { subscribers: [NAME.name] } }));
});
