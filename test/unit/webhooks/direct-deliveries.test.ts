/** Events that are sent straight from the outbox: what is taken, what is stored, and what becomes a job instead. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newAttempt } from '../../../core/engagement/attempts/new-attempt.ts';
import { createDeliveryGate, type DeliveryGate } from '../../../core/engagement/webhooks/delivery-gate.ts';
import {
  createDirectDeliveries,
  type DirectDeliveries,
  type DirectDeliveriesDeps,
} from '../../../core/engagement/webhooks/direct-deliveries.ts';
import { dispatchEvents } from '../../../core/engagement/webhooks/dispatch-event.ts';
import { updateWebhook } from '../../../core/engagement/webhooks/manage-webhooks.ts';
import type { EventEntry, OutboxEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { createOutboxRelay, type OutboxRelay } from '../../../core/engagement/webhooks/outbox-relay.ts';
import { DomainError } from '../../../core/errors.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import type { WebhookOutcome, WebhookRequest } from '../../../core/ports/webhook-transport.ts';
import { createAttempt, newCampaign, newChallenge } from '../../contract/storage/samples.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { createWebhookWorld, sampleEvent, type WebhookWorld } from './support.ts';

const answered = (status: number): WebhookOutcome => ({ kind: 'answered', status, retryAfter: null });

let world: WebhookWorld;
let sent: WebhookRequest[];
/** What the receivers answer. */
let answer: (request: WebhookRequest) => WebhookOutcome | Promise<WebhookOutcome>;
let gate: DeliveryGate;
let made: DirectDeliveries[];
let relays: OutboxRelay[];
let users: number;
let challengeId: number;

beforeEach(async () => {
  world = await createWebhookWorld();
  sent = [];
  made = [];
  relays = [];
  users = 0;
  answer = () => answered(204);
  // All receivers are quick from the start.
  gate = { speedOf: () => 'quick', enter: async () => ({ kind: 'entered', hasWaited: false, leave() {} }) };
  const { challenge } = await world.storage.campaigns.create(
    newCampaign({ brandId: world.brandId, createdAt: world.clock.now() }),
    newChallenge(),
  );
  challengeId = challenge.id;
});
afterEach(async () => {
  answer = () => answered(204);
  for (const relay of relays) await relay.stop();
  for (const direct of made) await direct.stop();
  vi.restoreAllMocks();
  await world.storage.close();
});

function direct(changes: Partial<DirectDeliveriesDeps> = {}): DirectDeliveries {
  const { storage, queue, secretBox, clock } = world.deps;
  const leases = storage.attempts.outboxLeases;
  if (leases === undefined) throw new Error('SQLite leases entries');
  const one = createDirectDeliveries({
    storage,
    leases,
    gate,
    queue,
    secretBox,
    clock,
    logger: silentLogger,
    jitter: () => 0.5,
    transport: {
      async send(request) {
        sent.push(request);
        return answer(request);
      },
      close: async () => {},
    },
    ...changes,
  });
  one.start();
  made.push(one);
  return one;
}

/** Stores attempts, each with some events in its outbox. */
async function events(count: number, each = ['']): Promise<void> {
  const { storage, brandId, clock } = world.deps as WebhookWorld['deps'] & { brandId?: number };
  for (let index = 0; index < count; index += 1) {
    users += 1;
    const { creator } = await storage.creators.link({
      externalId: `u${users}`,
      email: 'a@example.com',
      displayName: null,
      platform: 'instagram',
      handle: `u${users}`,
      profileData: {},
      ownershipProven: false,
      now: clock.now(),
    });
    const outbox = each.map(
      (name): OutboxEntry => ({ id: `e${users}${name}`, kind: 'event', event: sampleEvent(brandId ?? world.brandId) }),
    );
    const attempt = newAttempt({ userId: creator.id, challengeId, username: `u${users}`, now: clock.now() });
    await createAttempt(storage.attempts, attempt, outbox);
  }
}

/** Leases all entries and offers them. Returns the ids of the entries that were taken. */
async function take(deliveries: DirectDeliveries): Promise<string[]> {
  const leased = await deliveries.lease({ limit: 1_000 });
  const entries = leased.flatMap(({ attemptId, entries }) =>
    entries.map((entry) => ({ attemptId, entry: entry as EventEntry })),
  );
  return [...(await deliveries.take(entries))].map(({ id }) => id);
}

function relayOf(deliveries: DirectDeliveries): OutboxRelay {
  const made = createOutboxRelay({
    attempts: world.storage.attempts,
    creators: world.storage.creators,
    queue: world.queue,
    logger: silentLogger,
    direct: deliveries,
    dispatch: dispatchEvents(world.deps),
  });
  relays.push(made);
  return made;
}

const log = async (webhookId: number) =>
  (await world.storage.deliveries.listByWebhook(webhookId, { page: 1, limit: 1_000 })).items;
const outbox = async () => (await world.storage.attempts.pendingOutbox(1_000)).flatMap(({ entries }) => entries);
const untilEmpty = () => vi.waitFor(async () => expect(await outbox()).toEqual([]), { interval: 5, timeout: 5_000 });
const idsOf = (requests: readonly WebhookRequest[]) => requests.map(({ headers }) => headers['webhook-id']);

describe('what is taken', () => {
  it('is what only quick receivers want', async () => {
    await events(3);
    const one = direct();
    expect(await take(one)).toEqual([]);
    await world.register();
    const { webhook: slow } = await world.register();
    world.clock.advance(20_000);
    gate = { ...gate, speedOf: (id) => (id === slow.id ? 'slow' : 'quick') };
    expect(await take(direct())).toEqual([]);
    world.clock.advance(20_000);
    gate = { ...gate, speedOf: () => 'quick' };
    expect(await take(direct())).toEqual(['e1', 'e2', 'e3']);
  });

  it('leaves out what a subscriber wants too', async () => {
    await events(1);
    await world.register();
    await world.storage.subscribers.subscribe([{ subscriber: 'own', event: 'creator.verified' }]);
    expect(await take(direct())).toEqual([]);
  });

  it('is nothing before the start and after the stop', async () => {
    await events(2);
    await world.register();
    const one = direct();
    await one.stop();
    expect(await take(one)).toEqual([]);
  });

  it('has an end: what finds no room is left to the jobs', async () => {
    await events(600);
    await world.register();
    const { promise, resolve } = Promise.withResolvers<WebhookOutcome>();
    answer = () => promise;
    const one = direct();
    expect(await take(one)).toHaveLength(512);
    const roomy = one.untilRoom();
    resolve(answered(204));
    await roomy;
    await vi.waitFor(async () => expect(await outbox()).toHaveLength(88), { interval: 5, timeout: 5_000 });
  });
});

describe('a delivery', () => {
  it('is stored once it is over, and its entry is gone', async () => {
    await events(20);
    const { webhook } = await world.register();
    const create = vi.spyOn(world.storage.deliveries, 'createMany');
    await take(direct());
    await untilEmpty();
    expect(new Set(idsOf(sent))).toEqual(new Set(Array.from({ length: 20 }, (_, index) => `msg_e${index + 1}`)));
    expect(sent).toHaveLength(20);
    const stored = await log(webhook.id);
    expect(stored).toHaveLength(20);
    for (const each of stored) {
      expect(each).toMatchObject({
        status: 'succeeded',
        nextTryAt: null,
        finishedAt: world.clock.now(),
        tries: [{ at: world.clock.now(), status: 204, error: null }],
      });
    }
    expect(create.mock.calls.flatMap(([some]) => some).filter(({ status }) => status === 'pending')).toEqual([]);
    expect(world.queue.jobs).toEqual([]);
    // Written beside the deliveries, not with them.
    await vi.waitFor(async () =>
      expect(await world.storage.webhooks.findById(webhook.id)).toMatchObject({ lastTriggeredAt: world.clock.now() }),
    );
  });

  it('that was not accepted is stored with its try, and tried again as a job', async () => {
    await events(1);
    const { webhook } = await world.register();
    answer = () => answered(500);
    await take(direct());
    await untilEmpty();
    const [stored] = await log(webhook.id);
    expect(stored).toMatchObject({ status: 'pending', tries: [{ status: 500, error: 'The receiver answered 500.' }] });
    expect(stored?.nextTryAt?.getTime()).toBeGreaterThan(world.clock.now().getTime());
    expect(world.queue.jobs).toMatchObject([
      { type: 'deliver-webhook', payload: { deliveryId: stored?.id }, runAt: stored?.nextTryAt, inHand: undefined },
    ]);
  });

  it('pauses the webhook of a receiver that is gone for good', async () => {
    await events(1);
    const { webhook } = await world.register();
    answer = () => answered(410);
    const logger = createRecordingLogger();
    await take(direct({ logger }));
    await untilEmpty();
    await vi.waitFor(async () => expect((await world.storage.webhooks.findById(webhook.id))?.active).toBe(false));
    expect(await log(webhook.id)).toMatchObject([{ status: 'pending', tries: [{ status: 410 }] }]);
    expect(logger.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  it.each<[string, (id: number) => Promise<unknown>]>([
    [
      'paused',
      (webhookId) => updateWebhook(world.deps)({ brandId: world.brandId, webhookId, changes: { active: false } }),
    ],
    [
      'moved',
      (webhookId) => world.storage.webhooks.update(world.brandId, webhookId, { url: 'https://new.example.com/' }),
    ],
  ])('of a webhook that is %s while it waits for its turn is a job, with no try', async (_what, change) => {
    await events(1);
    const { webhook } = await world.register();
    const real = createDeliveryGate({ ...world.deps, patienceMs: 60_000 });
    const holding = await real.enter({ webhookId: webhook.id, brandId: world.brandId, host: 'hooks.example.com' });
    let asked = false;
    gate = {
      speedOf: () => 'quick',
      enter: (target) => {
        asked = true;
        return real.enter(target);
      },
    };
    await take(direct());
    await vi.waitFor(() => expect(asked).toBe(true));
    await change(webhook.id);
    if (holding.kind === 'entered') holding.leave();
    await untilEmpty();
    expect(sent).toEqual([]);
    expect(await log(webhook.id)).toMatchObject([{ status: 'pending', tries: [] }]);
    expect(world.queue.jobs).toMatchObject([{ type: 'deliver-webhook' }]);
  });

  it('waits while its receiver has enough to do, then becomes a job', async () => {
    await events(3);
    const { webhook } = await world.register();
    const full = () =>
      ({ kind: 'full', at: world.clock.now(), roomAt: new Date(world.clock.now().getTime() + 5) }) as const;
    let refusals = 3;
    const real = gate;
    gate = { speedOf: () => 'quick', enter: async (target) => (refusals-- > 0 ? full() : real.enter(target)) };
    await take(direct());
    await untilEmpty();
    expect((await log(webhook.id)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    await events(2);
    refusals = Number.POSITIVE_INFINITY;
    await take(direct());
    await untilEmpty();
    expect(world.queue.jobs).toHaveLength(2);
    expect(sent).toHaveLength(3);
  });

  it('to several receivers: the entry is there until all of them have theirs', async () => {
    await events(1);
    const [first, second] = [await world.register(), await world.register(undefined, 'https://two.example.com/')];
    const { promise, resolve } = Promise.withResolvers<WebhookOutcome>();
    answer = ({ url }) => (url.startsWith('https://two') ? promise : answered(204));
    await take(direct());
    await vi.waitFor(async () => expect(await log(first.webhook.id)).toHaveLength(1));
    expect(await outbox()).toHaveLength(1);
    resolve(answered(204));
    await untilEmpty();
    expect(await log(second.webhook.id)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('that cannot be stored leaves its entry, which is due again when the lease ends', async () => {
    await events(9);
    await world.register();
    const storage = {
      ...world.storage,
      deliveries: {
        ...world.storage.deliveries,
        createMany: () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'away')),
      },
    };
    const logger = createRecordingLogger();
    const one = direct({ storage, logger });
    await take(one);
    await vi.waitFor(() => expect(logger.lines).toHaveLength(1));
    expect(await outbox()).toHaveLength(9);
    expect(await one.lease({ limit: 10 })).toEqual([]);
    world.clock.advance(20_000);
    expect((await one.lease({ limit: 10 })).map(({ isAgain }) => isAgain)).toEqual(Array(9).fill(true));
  });

  it('takes its turn: a long line of one webhook holds up no other', async () => {
    await world.register(['creator.verified'], 'https://one.example.com/');
    await events(100);
    const { promise, resolve } = Promise.withResolvers<WebhookOutcome>();
    answer = ({ url }) => (url.includes('one.') ? promise : answered(204));
    const one = direct();
    await take(one);
    const { webhook } = await world.register(['creator.verified'], 'https://two.example.com/');
    await world.storage.webhooks.update(world.brandId, 1, { active: false });
    await events(1);
    await take(one);
    await vi.waitFor(async () => expect(await log(webhook.id)).toHaveLength(1));
    expect(sent.filter(({ url }) => url.includes('one.'))).toHaveLength(8);
    resolve(answered(204));
    await untilEmpty();
  });
});

describe('the events of one attempt', () => {
  it('reach a receiver one after the other, and hold up none of others', async () => {
    await world.register();
    const { promise, resolve } = Promise.withResolvers<WebhookOutcome>();
    answer = ({ headers }) => (headers['webhook-id'] === 'msg_e1a' ? promise : answered(204));
    await events(8, ['a', 'b']);
    await relayOf(direct()).drain();
    await vi.waitFor(() => expect(sent).toHaveLength(15));
    const of = (name: string) => Array.from({ length: 8 }, (_, index) => `msg_e${index + 1}${name}`);
    const rest = of('b').slice(1);
    expect(idsOf(sent).slice(0, 8)).toEqual(of('a'));
    expect(idsOf(sent).slice(8).toSorted()).toEqual(rest);
    resolve(answered(204));
    await untilEmpty();
    expect(idsOf(sent).slice(15)).toEqual(['msg_e1b']);
  });
});

describe('stopping', () => {
  it('makes jobs of what waits, and of what does not end in a moment', async () => {
    await events(20);
    const { webhook } = await world.register();
    answer = ({ signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ kind: 'failed', reason: 'timeout', message: 'aborted' }));
      });
    const one = direct();
    await take(one);
    await vi.waitFor(() => expect(sent).toHaveLength(8));
    await one.stop();
    expect(await outbox()).toEqual([]);
    const stored = await log(webhook.id);
    expect(stored).toHaveLength(20);
    for (const each of stored) expect(each).toMatchObject({ status: 'pending', tries: [] });
    expect(world.queue.jobs).toHaveLength(20);
  });
});

describe('the relay', () => {
  it('sends many events straight away, and stores few as deliveries first', async () => {
    const { webhook } = await world.register();
    const one = relayOf(direct());
    await events(7);
    expect(await one.drain()).toBe(7);
    expect(world.queue.jobs).toHaveLength(7);
    expect(sent).toEqual([]);
    await events(8);
    expect(await one.drain()).toBe(8);
    await vi.waitFor(() => expect(sent).toHaveLength(8));
    await untilEmpty();
    expect(await log(webhook.id)).toHaveLength(15);
    expect(world.queue.jobs).toHaveLength(7);
  });

  it('of two processes at once sends nothing twice', async () => {
    await world.register();
    await events(300);
    const both = [relayOf(direct()), relayOf(direct())];
    await Promise.all(
      both.flatMap((one) => [
        one.drain(),
        one.nudge(5),
        one.handOver([1, 2, 3].map((attemptId) => ({ attemptId, entries: [] }))),
      ]),
    );
    await untilEmpty();
    const queued = world.queue.jobs.length;
    expect(sent.length + queued).toBe(300);
    expect(new Set(idsOf(sent)).size).toBe(sent.length);
  });

  it('looks for what may have been sent before among the deliveries', async () => {
    const { webhook } = await world.register();
    await events(10);
    // A process died between one receiver's deliveries and another's: the entries are still there.
    const { outboxLeases: leases } = world.storage.attempts;
    if (leases === undefined) throw new Error('This storage leases no entries.');
    const dying = direct({ leases: { ...leases, finish: (deliveries) => leases.finish(deliveries, []) } });
    await take(dying);
    await vi.waitFor(async () => expect(await log(webhook.id)).toHaveLength(10));
    world.clock.advance(20_000);
    expect(await relayOf(direct()).drain()).toBe(10);
    expect(await outbox()).toEqual([]);
    expect(sent).toHaveLength(10);
    expect(world.queue.jobs).toEqual([]);
  });

  it('sends nothing twice while it is in hand, however far the clock is set forward', async () => {
    await world.register();
    await events(8);
    const end = Promise.withResolvers<void>();
    answer = () => end.promise.then(() => answered(204));
    const relay = relayOf(direct());
    await relay.drain();
    await vi.waitFor(() => expect(sent.length).toBeGreaterThan(0));
    world.clock.advance(7_200_000);
    await relay.drain();
    end.resolve();
    await untilEmpty();
    expect(world.queue.jobs).toEqual([]);
    expect(new Set(idsOf(sent)).size).toBe(8);
    expect(sent).toHaveLength(8);
  });

  it('sends nothing twice if the entries of few events could not be acknowledged', async () => {
    const { webhook } = await world.register();
    await events(3);
    const { attempts } = world.storage;
    const failing = createOutboxRelay({
      attempts: {
        ...attempts,
        acknowledgeOutbox: () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'away')),
      },
      creators: world.storage.creators,
      queue: world.queue,
      logger: silentLogger,
      direct: direct(),
      dispatch: dispatchEvents(world.deps),
    });
    await expect(failing.drain()).rejects.toThrow('away');
    expect(world.queue.jobs).toHaveLength(3);
    await events(8);
    expect(await relayOf(direct()).drain()).toBe(11);
    await untilEmpty();
    expect(sent).toHaveLength(8);
    expect(await log(webhook.id)).toHaveLength(11);
  });

  it('gives back what it could not hand over: it is due at once', async () => {
    await events(3);
    const { queue } = world;
    const failing = createOutboxRelay({
      attempts: world.storage.attempts,
      creators: world.storage.creators,
      queue: { ...queue, enqueue: () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'away')) },
      logger: silentLogger,
      direct: direct(),
    });
    await expect(failing.drain()).rejects.toThrow('away');
    expect(await relayOf(direct()).drain()).toBe(3);
    expect(await outbox()).toEqual([]);
  });
});
