/** The event of a connected account: one message for each connection, whatever dies on the way. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { type CheckConnectionDeps, checkConnection } from '../../../core/engagement/connections/check-connection.ts';
import { startConnection } from '../../../core/engagement/connections/start-connection.ts';
import { dispatchEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { eventBody, eventOfBody } from '../../../core/engagement/webhooks/event-body.ts';
import { OutboxRelay } from '../../../core/engagement/webhooks/outbox-relay.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { systemRandom } from '../../../core/ports/random-source.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { linkInput, newWebhook } from '../../contract/storage/samples.ts';
import { T0 } from '../../support/engagement-samples.ts';
import { emptyProfile, platformsOf, showingProfiles } from '../../support/platforms.ts';
import { openTestStorage } from '../../support/storage.ts';

let named = 0;
const unique = (name: string) => `${name}${++named}`;

describe('the event', () => {
  let storage: Storage;
  let webhookId: number;
  beforeAll(async () => {
    const made = await openTestStorage('sqlite');
    storage = made.storage;
    webhookId = (await storage.webhooks.create({ ...newWebhook(1), events: ['account.connected'] })).id;
    await storage.webhooks.create({ ...newWebhook(2), events: ['creator.verified'] });
    await storage.subscribers.subscribe([
      { subscriber: 'all', event: 'account.connected' },
      { subscriber: 'of-a-brand', event: '*', brandId: 1 },
    ]);
    return () => made.close();
  });

  const clock = { now: () => T0 };
  const queue = { enqueue: async () => {} };
  const wakeSender = () => {};
  /** The relay of a process whose storage does some things otherwise. */
  const relayOf = (own: Storage) =>
    new OutboxRelay({
      outbox: own.outbox,
      queue,
      logger: silentLogger,
      dispatch: dispatchEvents({ storage: own, clock, wakeSender }),
    });
  const begin = (handle: string) =>
    startConnection({ storage, platforms: platformsOf(), clock, random: systemRandom })({
      externalId: `ext ${handle}`,
      platform: 'tiktok',
      handle,
    });
  /** A look at a bio that has the code, by a process with this storage. */
  const look = (request: { id: string; code: string }, changes: Partial<CheckConnectionDeps> = {}) => {
    const getProfile = async (handle: string) =>
      emptyProfile({ platform: 'tiktok', handle, accountId: handle.replace(/\D/g, ''), bio: request.code });
    return checkConnection({
      storage,
      platforms: platformsOf(showingProfiles('tiktok', getProfile)),
      clock,
      limiter: createMemoryRateLimiter(),
      relay: relayOf(storage),
      ...changes,
    })(request.id, null);
  };
  const messages = async (handle: string) => {
    const { items } = await storage.deliveries.list(webhookId, { page: 1, limit: 100 });
    return items.filter(({ body }) => body.includes(`"${handle}"`));
  };
  const gone = () => Promise.reject(new Error('the process died'));

  it('goes to the webhooks of every brand and to subscribers of all brands, with what was proven', async () => {
    const handle = unique('ada');
    const request = await begin(handle);
    await look(request);
    await expect.poll(() => storage.outbox.pending(10)).toEqual([]);
    const [delivery, ...others] = await messages(handle);
    expect(others).toEqual([]);
    expect(delivery?.messageId).toMatch(/^msg_account_\d+_[0-9a-f]{32}$/);
    // Logs and headers hold the message id; who knows the request's id sees its page.
    expect(delivery?.messageId).not.toContain(request.id);
    const creator = await storage.creators.find({ externalId: `ext ${handle}` });
    const [account] = await storage.creators.accountsOf(creator?.id ?? 0);
    const proven = { userId: creator?.id, socialAccountId: account?.id, platformAccountId: account?.platformAccountId };
    const how = { method: 'bio_code', requestId: request.id };
    expect(JSON.parse(delivery?.body ?? '').data).toMatchObject({ ...proven, ...how });
    expect(eventBody(eventOfBody(delivery?.body ?? '', null))).toBe(delivery?.body);
    const heard = (name: string) => storage.deliveries.list(name, { page: 1, limit: 10 });
    expect((await heard('all')).items).toMatchObject([{ messageId: delivery?.messageId, brandId: null }]);
    expect((await heard('of-a-brand')).items).toEqual([]);
  });

  it.each<readonly [string, (whole: Storage) => Partial<Storage>]>([
    ['the link', ({ creators }) => ({ creators: { ...creators, link: gone } })],
    ['its event is handed over', ({ outbox }) => ({ outbox: { ...outbox, pending: gone } })],
    ['its deliveries are made', ({ deliveries }) => ({ deliveries: { ...deliveries, createMany: gone } })],
    ['the outbox knows', ({ outbox }) => ({ outbox: { ...outbox, acknowledge: gone } })],
    [
      'the request is finished',
      ({ connections }) => ({
        connections: {
          ...connections,
          update: async (before, after) => (after.status === 'connected' ? gone() : connections.update(before, after)),
        },
      }),
    ],
  ])('a process that dies before %s costs no event, and brings none twice', async (_what, broken) => {
    const handle = unique('eva');
    const request = await begin(handle);
    const dying = { ...storage, ...broken(storage) };
    const failing = { ...queue, enqueue: gone };
    const relay = new OutboxRelay({
      ...{ outbox: dying.outbox, queue: failing, logger: silentLogger },
      dispatch: dispatchEvents({ storage: dying, clock, wakeSender }),
    });
    await look(request, { storage: dying, relay: { nudge: async () => {} } }).catch(() => undefined);
    await relay.drain().catch(() => undefined);
    // The creator looks again, or not: the next process hands over what was committed.
    await relayOf(storage).drain();
    await look(request);
    await expect.poll(() => storage.outbox.pending(10)).toEqual([]);
    expect(await messages(handle)).toHaveLength(1);
    expect(await storage.connections.find(request.id)).toMatchObject({ status: 'connected' });
  });

  it('a second connection of the same account is another event; an asserted handle is none', async () => {
    const handle = unique('bea');
    const asserted = linkInput({ externalId: `ext ${handle}`, platform: 'tiktok', handle });
    const { creator } = await storage.creators.link(asserted);
    expect(await storage.outbox.pending(10)).toEqual([]);
    for (const _ of [1, 2]) await look(await begin(handle));
    await expect.poll(() => storage.outbox.pending(10)).toEqual([]);
    const sent = await messages(handle);
    expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(2);
    expect(sent.map(({ body }) => JSON.parse(body).data.userId)).toEqual([creator.id, creator.id]);
  });
});
