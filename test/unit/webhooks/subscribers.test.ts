/** Delivering to handlers in process: claims, retries, leases, what stays pending. Real storage, a clock that the tests move. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverer } from '../../../core/engagement/webhooks/deliver.ts';
import { DeliveryLoop } from '../../../core/engagement/webhooks/delivery-loop.ts';
import type { SubscriberEvent, SubscriberHandler } from '../../../core/engagement/webhooks/subscriber.ts';
import { Subscribers } from '../../../core/engagement/webhooks/subscribers.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createRecordingLogger, type RecordingLogger } from '../../support/recording-logger.ts';
import { answered, sampleEvent, sending, webhookWorldOfEachTest } from './support.ts';

const NAME = { name: 'points-ledger' };
const LEASE_MS = 600_000;

const world = webhookWorldOfEachTest();
let logger: RecordingLogger;
const loops: DeliveryLoop[] = [];
beforeEach(() => {
  logger = createRecordingLogger();
});
afterEach(async () => {
  await Promise.all(loops.splice(0).map((each) => each.stop(0)));
});

interface Changes {
  readonly leaseMs?: number;
  readonly handlerTimeoutMs?: number;
  readonly storage?: Storage;
}

/** The subscribers of one process, and the loop that delivers to them. */
function process({ leaseMs = LEASE_MS, handlerTimeoutMs = 60_000, storage = world.storage }: Changes = {}) {
  const { clock, secretBox } = world.deps;
  const subscribers = new Subscribers({ storage, clock, logger });
  const transport = sending(async () => answered(204));
  const deps = { storage, subscribers, transport, secretBox, clock, logger, leaseMs, pollMs: 5 };
  const deliver = deliverer({ ...deps, jitter: () => 0.5, handlerTimeoutMs });
  const loop = new DeliveryLoop({ ...deps, deliveries: storage.deliveries, deliver });
  loops.push(loop);
  return { subscribers, loop };
}

async function started(register: (subscribers: Subscribers) => void, changes: Changes = {}) {
  const made = process(changes);
  register(made.subscribers);
  await made.subscribers.open();
  made.loop.start();
  return made;
}

const gone = () => Promise.reject(new Error('storage gone'));
const rewarded = () =>
  sampleEvent(world.brandId, {
    event: 'reward.issued',
    data: { ...sampleEvent(1).data, points: 50 },
  });
const dispatch = (entryId: string, event = rewarded()) => world.dispatch(entryId, event);
const log = async (name = NAME.name) => (await world.storage.deliveries.list(name, { page: 1, limit: 100 })).items;

describe('a subscriber', () => {
  it('of one brand gets the events of this brand only, and keeps it until it is forgotten', async () => {
    const { storage, brandId } = world;
    const own: (number | null)[] = [];
    const all: (number | null)[] = [];
    const { subscribers } = await started((each) => {
      each.on('*', (event) => void own.push(event.brandId), { ...NAME, brandId });
      each.on('*', (event) => void all.push(event.brandId), { name: 'audit' });
    });
    await dispatch('e1', sampleEvent(brandId + 1));
    await dispatch('e2', sampleEvent(brandId));
    await vi.waitFor(() => expect([own, all.toSorted()]).toEqual([[brandId], [brandId, brandId + 1]]));
    expect((await log()).map((one) => one.brandId)).toEqual([brandId]);
    const conflict = { code: 'CONFLICT', message: expect.stringContaining('is registered for another brand') };
    expect(() => subscribers.on('reward.issued', () => undefined, NAME)).toThrow(expect.objectContaining(conflict));
    const { subscribers: other } = process();
    other.on('*', () => undefined, { ...NAME, brandId: brandId + 1 });
    await expect(other.open()).rejects.toMatchObject(conflict);
    await subscribers.off(NAME.name);
    await other.open();
    const theirs = { subscriber: NAME.name, event: '*', brandId: brandId + 1 };
    expect(await storage.subscribers.list()).toContainEqual(theirs);
    expect(() => other.on('*', () => undefined, { name: 'x', brandId: 1.5 })).toThrow('must be the id of a brand');
  });
});

describe('a handler that fails', () => {
  it('by taking too long is aborted and called again later', async () => {
    const signals: AbortSignal[] = [];
    await started(
      (subscribers) => subscribers.on('*', (_event, { signal }) => new Promise(() => void signals.push(signal)), NAME),
      { handlerTimeoutMs: 5 },
    );
    await dispatch('e1');
    await vi.waitFor(async () => expect((await log())[0]?.tries).toHaveLength(1));
    const tries = [{ error: expect.stringContaining('did not finish') }];
    expect((await log())[0]).toMatchObject({ status: 'pending', tries });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('two processes with the same subscriber', () => {
  it('a handler is aborted once the storage cannot be reached for as long as its lease, and its event is not begun again beside it', async () => {
    const { deliveries } = world.storage;
    let silent = false;
    const extend = vi.fn(gone);
    const signals: AbortSignal[] = [];
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const claim = vi.fn<typeof deliveries.claim>(async (...given) => (silent ? gone() : deliveries.claim(...given)));
    await started(
      (subscribers) =>
        subscribers.on(
          '*',
          (_event, { signal }) => {
            signals.push(signal);
            return mayEnd;
          },
          NAME,
        ),
      { leaseMs: 30, storage: { ...world.storage, deliveries: { ...deliveries, extend, claim } } },
    );
    await dispatch('e1');
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    await vi.waitFor(() => expect(extend.mock.calls.length).toBeGreaterThan(1));
    expect(signals[0]?.aborted).toBe(false);
    silent = true;
    world.clock.pass(30);
    await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
    silent = false;
    // Its own poll gets the event, whose handler has not ended.
    await vi.waitFor(async () =>
      expect((await Promise.all(claim.mock.results.map(({ value }) => value.catch(() => [])))).flat()).toHaveLength(2),
    );
    await nextTick();
    expect(signals).toHaveLength(1);
    // Its work is done all the same, and recorded.
    end();
    await vi.waitFor(async () => expect(await log()).toMatchObject([{ status: 'succeeded' }]));
    expect(signals).toHaveLength(1);
  });
});

describe('a subscriber that no process registers', () => {
  it('keeps its events, is warned about once for each, and gets them when it is registered', async () => {
    const { subscribers: before } = process();
    before.on('reward.issued', () => undefined, NAME);
    before.on('verification.failed', () => undefined, NAME);
    await before.open();
    const seen: string[] = [];
    const { subscribers } = await started((one) =>
      one.on('verification.failed', ({ event }) => void seen.push(event), NAME),
    );
    await dispatch('e1');
    await dispatch('e2', sampleEvent(world.brandId, { event: 'verification.failed' }));
    await vi.waitFor(() => expect(seen).toEqual(['verification.failed']));
    await subscribers.reportNeglected();
    world.clock.pass(10_001);
    for (let looks = 0; looks < 2; looks += 1) await subscribers.reportNeglected();
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { subscriber: NAME.name, events: ['reward.issued'] }, message: expect.stringContaining('`on`') },
    ]);
    await started((one) => one.on('reward.issued', ({ event }) => void seen.push(event), NAME));
    await vi.waitFor(() => expect(seen).toEqual(['verification.failed', 'reward.issued']));
  });

  it('is forgotten by off, with what waits for it', async () => {
    const { subscribers } = await started((one) =>
      one.on('reward.issued', () => Promise.reject(new Error('no')), NAME),
    );
    await dispatch('e1');
    await vi.waitFor(async () => expect((await log())[0]?.tries).toHaveLength(1));
    await subscribers.off(NAME.name);
    await dispatch('e2');
    expect(await log()).toMatchObject([{ messageId: 'msg_e1', status: 'cancelled' }]);
    expect(await world.storage.subscribers.list()).toEqual([]);
    expect(subscribers.names()).toEqual([]);
  });
});

it('is called again at once when it is due again before the end of its try is written down', async () => {
  const { deliveries } = world.storage;
  let claims = 0;
  // As if another write of the same try were slow: the delivery is due, and claimed again, meanwhile.
  const recordTry: typeof deliveries.recordTry = async (id, record, outcome) => {
    // Before it is due: it may be claimed by the time that this is known to be recorded.
    const before = claims;
    const nextTryAt = outcome.nextTryAt && new Date(0);
    const recorded = await deliveries.recordTry(id, record, { ...outcome, nextTryAt });
    // Of the last one the test does not wait for a claim.
    if (seen.length < 3) await vi.waitFor(() => expect(claims).toBeGreaterThan(before));
    return recorded;
  };
  const claim: typeof deliveries.claim = async (...given) => {
    const found = await deliveries.claim(...given);
    if (found.length > 0) claims += 1;
    return found;
  };
  const storage = { ...world.storage, deliveries: { ...deliveries, recordTry, claim } };
  const seen: number[] = [];
  const failing = ({ deliveryAttempt }: SubscriberEvent) => {
    seen.push(deliveryAttempt);
    throw new Error('not yet');
  };
  await started((one) => one.on('*', failing, NAME), { storage });
  await dispatch('e1');
  await vi.waitFor(() => expect(seen.slice(0, 3)).toEqual([1, 2, 3]), 10_000);
});

describe('stopping', () => {
  it('waits for a handler and records what came of it', async () => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const handler = vi.fn(() => promise);
    const { loop } = await started((one) => one.on('*', handler, NAME));
    await dispatch('e1');
    await vi.waitFor(() => expect(handler).toHaveBeenCalled());
    const stopped = loop.stop(10_000);
    end();
    await stopped;
    expect(await log()).toMatchObject([{ status: 'succeeded' }]);
  });

  const heeding: SubscriberHandler = (_event, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  it.each<[string, SubscriberHandler]>([
    ['heeds its signal', heeding],
    ['ignores its signal', () => new Promise(() => undefined)],
  ])('gives the event of a handler that %s back at once, without using up a try', async (_how, handle) => {
    const handler = vi.fn(handle);
    const { loop } = await started((one) => one.on('*', handler, NAME));
    await dispatch('e1');
    await vi.waitFor(() => expect(handler).toHaveBeenCalled());
    await loop.stop(0);
    expect(await log()).toMatchObject([{ status: 'pending', tries: [], nextTryAt: world.clock.now() }]);
    const seen: SubscriberEvent[] = [];
    await started((one) => one.on('*', (event) => void seen.push(event), NAME));
    await vi.waitFor(() => expect(seen).toMatchObject([{ deliveryAttempt: 1 }]));
  });
});

describe('registering', () => {
  const refusal = (register: (subscribers: Subscribers) => void): unknown => {
    try {
      register(process().subscribers);
      return null;
    } catch (error) {
      return error;
    }
  };
  const nothing = () => undefined;

  it('refuses unknown events, unusable names and what is no function', () => {
    for (const name of ['', 'a b', '-a', 'ä', 'x'.repeat(101), 7 as never]) {
      expect(
        refusal((one) => one.on('*', nothing, { name })),
        String(name),
      ).toMatchObject({ code: 'INVALID_REQUEST' });
    }
    expect(refusal((one) => one.on('reward.isued' as never, nothing, NAME))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(refusal((one) => one.on('*', undefined as never, NAME))).toMatchObject({ code: 'INVALID_REQUEST' });
    // From JavaScript, without its options.
    expect(refusal((one) => one.on('*', nothing, undefined as never))).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('refuses a second handler of one subscriber for one event', () => {
    for (const [first, second] of [
      ['reward.issued', 'reward.issued'],
      ['*', 'reward.issued'],
      ['reward.issued', '*'],
    ] as const) {
      const twice = refusal((one) => {
        one.on(first, nothing, NAME);
        one.on(second, nothing, NAME);
      });
      expect(twice, `${first} ${second}`).toMatchObject({ code: 'CONFLICT' });
    }
  });
});
