import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../core/engagement/webhooks/outbox.ts';
import type { DeliveryTry } from '../../../core/engagement/webhooks/webhook.ts';
import type {
  ClaimedDelivery,
  SubscriberDeliveryFilter,
  SubscriberStore,
} from '../../../core/ports/subscriber-store.ts';
import { later, NASTY_TEXTS, newSubscriberDelivery, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const PAGE = { page: 1, limit: 100 };
const DONE = { status: 'succeeded', nextTryAt: null, finishedAt: later(5) } as const;
const TRY: DeliveryTry = { at: later(1), durationMs: 3, status: null, error: 'no' };

export function subscriberStoreContract(create: () => Promise<StorageWorld>): void {
  describe('subscribers', () => {
    const stage = prepareStage(create);

    async function subscriber(): Promise<string> {
      const name = unique('sub');
      await stage.storage.subscribers.subscribe([{ subscriber: name, event: '*' }]);
      return name;
    }
    const listed = async (name: string, store: SubscriberStore = stage.other.subscribers) =>
      (await store.listBySubscriber(name, PAGE)).items;
    const wanted = (name: string) => ({ subscriber: name, events: EVENT_NAMES });
    async function claimed(name: string): Promise<ClaimedDelivery> {
      await stage.storage.subscribers.createDeliveries([newSubscriberDelivery(name)]);
      const [one] = await stage.storage.subscribers.claim(wanted(name), 1, later(1), later(60));
      if (one === undefined) throw new Error('Nothing was claimed.');
      return one;
    }

    it('subscriptions are stored once, and listed by subscriber and event', async () => {
      const [a, b] = ['a.one', 'b-two'];
      const given = [
        { subscriber: b, event: '*' },
        { subscriber: a, event: 'verification.failed' },
        { subscriber: a, event: 'creator.verified' },
      ] as const;
      await parallel(8, (index) => stage.turn(index).subscribers.subscribe(given));
      const found = (await stage.other.subscribers.list()).filter((one) => [a, b].includes(one.subscriber));
      expect(found).toEqual([given[2], given[1], given[0]]);
      await stage.storage.subscribers.subscribe([]);
    });

    it('subscriptions of one brand keep it, and their log is read by brand', async () => {
      const { subscribers } = stage.storage;
      const name = unique('sub');
      await subscribers.subscribe([{ subscriber: name, event: '*', brandId: 7 }]);
      await subscribers.subscribe([{ subscriber: name, event: '*', brandId: 8 }]);
      const stored = (await stage.other.subscribers.list()).filter((one) => one.subscriber === name);
      expect(stored).toEqual([{ subscriber: name, event: '*', brandId: 7 }]);
      const made = [7, 8, 7].map((brandId) => newSubscriberDelivery(name, { brandId }));
      await subscribers.createDeliveries(made);
      const own = await stage.other.subscribers.listBySubscriber(name, { page: 1, limit: 1 }, { brandId: 7 });
      expect(own).toMatchObject({ total: 2, items: [{ brandId: 7, messageId: made[2]?.messageId }] });
      expect((await subscribers.listBySubscriber(name, PAGE, { brandId: 9 })).total).toBe(0);
      expect((await subscribers.listBySubscriber(name, PAGE)).total).toBe(3);
    });

    it('listBySubscriber: by status, by event, by both and of a brand, with their own totals', async () => {
      const { subscribers } = stage.storage;
      const name = await subscriber();
      const over = { status: 'failed', nextTryAt: null, finishedAt: T0 } as const;
      const made = [
        newSubscriberDelivery(name, { event: 'reward.issued', ...over }),
        newSubscriberDelivery(name, { event: 'account.connected', brandId: null, ...over }),
        newSubscriberDelivery(name, { event: 'reward.issued', brandId: 7 }),
      ];
      await subscribers.createDeliveries(made);
      const [first, second, third] = made.map(({ messageId }) => messageId);
      const list = async (filter: SubscriberDeliveryFilter) => {
        const { items, total } = await stage.other.subscribers.listBySubscriber(name, { page: 1, limit: 9 }, filter);
        expect(total).toBe(items.length);
        return items.map(({ messageId }) => messageId);
      };
      expect(await list({ status: 'failed' })).toEqual([second, first]);
      expect(await list({ event: 'reward.issued' })).toEqual([third, first]);
      expect(await list({ status: 'failed', event: 'reward.issued' })).toEqual([first]);
      expect(await list({ brandId: 7, status: 'pending' })).toEqual([third]);
      expect(await list({ brandId: 7, event: 'account.connected' })).toEqual([]);
      expect(await list({ brandId: 7, status: 'pending', event: 'reward.issued' })).toEqual([third]);
      expect(await list({ status: 'cancelled' })).toEqual([]);
    });

    it('createDeliveries: new by message and subscriber, those that are there stay', async () => {
      const { subscribers } = stage.storage;
      const [one, two] = [await subscriber(), await subscriber()];
      const delivery = newSubscriberDelivery(one, { body: NASTY_TEXTS.join('\n'), attemptId: 4 });
      await parallel(10, (index) =>
        stage.turn(index).subscribers.createDeliveries([delivery, { ...delivery, subscriber: two }]),
      );
      const [stored, ...others] = await listed(one);
      expect(stored).toEqual({ ...delivery, id: stored?.id });
      expect(others).toEqual([]);
      const [taken] = await subscribers.claim(wanted(one), 1, later(1), later(60));
      expect(await subscribers.recordTry(taken as ClaimedDelivery, TRY, DONE)).toBe(true);
      await subscribers.createDeliveries([delivery]);
      expect(await listed(one)).toEqual([{ ...delivery, id: stored?.id, ...DONE, tries: [TRY] }]);
      await subscribers.createDeliveries([]);
    });

    it('unsubscribe cancels what is pending, keeps the log, and lets nothing new in', async () => {
      const { subscribers } = stage.storage;
      const name = await subscriber();
      expect(await subscribers.recordTry(await claimed(name), TRY, DONE)).toBe(true);
      const running = await claimed(name);
      expect(await stage.other.subscribers.unsubscribe(name, later(9))).toBe(true);
      expect(await subscribers.unsubscribe(name, later(10))).toBe(false);
      const cancelled = { status: 'cancelled', nextTryAt: null, finishedAt: later(9), tries: [] };
      expect(await listed(name)).toMatchObject([cancelled, { status: 'succeeded' }]);
      expect(await subscribers.recordTry(running, TRY, DONE)).toBe(false);
      await subscribers.createDeliveries([newSubscriberDelivery(name)]);
      expect(await listed(name)).toHaveLength(2);
    });

    it('unsubscribe leaves nothing pending of deliveries that are created at the same time', async () => {
      const name = await subscriber();
      await Promise.all([
        parallel(10, (index) => stage.turn(index).subscribers.createDeliveries([newSubscriberDelivery(name)])),
        stage.other.subscribers.unsubscribe(name, later(9)),
      ]);
      expect((await listed(name)).filter(({ status }) => status === 'pending')).toEqual([]);
    });

    it('claim: due ones of the wanted events, the longest wait first', async () => {
      const { subscribers } = stage.storage;
      const [name, other] = [await subscriber(), await subscriber()];
      const at = (seconds: number, changes = {}) =>
        newSubscriberDelivery(name, { nextTryAt: later(seconds), ...changes });
      await subscribers.createDeliveries([
        at(3),
        at(1),
        at(2, { event: 'reward.issued' }),
        at(11),
        newSubscriberDelivery(other),
      ]);
      const events = ['creator.verified'] as const;
      const [first] = await subscribers.claim({ subscriber: name, events }, 1, later(10), later(60));
      expect(first).toMatchObject({ lease: 1, nextTryAt: later(60), status: 'pending' });
      const rest = await stage.other.subscribers.claim({ subscriber: name, events }, 9, later(10), later(60));
      const created = (await listed(name)).toReversed();
      expect([first, ...rest].map((one) => one?.id)).toEqual([created[1]?.id, created[0]?.id]);
      expect(await subscribers.claim({ subscriber: name, events: [] }, 9, later(10), later(60))).toEqual([]);
      expect(await subscribers.claim(wanted(name), 9, later(10), later(60))).toMatchObject([
        { event: 'reward.issued' },
      ]);
    });

    it('claim: each goes to exactly one of concurrent callers', async () => {
      const name = await subscriber();
      const given = Array.from({ length: 20 }, () => newSubscriberDelivery(name));
      await stage.storage.subscribers.createDeliveries(given);
      const results = await parallel(16, (index) =>
        stage.turn(index).subscribers.claim(wanted(name), 5, later(1), later(60)),
      );
      const ids = results.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(20);
    });

    it('a lease that ran out is claimed again, and its fence holds no more', async () => {
      const { subscribers } = stage.storage;
      const name = await subscriber();
      const old = await claimed(name);
      expect(await subscribers.claim(wanted(name), 1, later(59), later(120))).toEqual([]);
      expect(await subscribers.extend([old], later(90))).toEqual([old.id]);
      expect(await subscribers.claim(wanted(name), 1, later(89), later(120))).toEqual([]);
      const [now] = await stage.other.subscribers.claim(wanted(name), 1, later(90), later(150));
      expect(now).toMatchObject({ id: old.id, lease: old.lease + 1 });
      expect(await subscribers.extend([old], later(200))).toEqual([]);
      expect(await subscribers.release(old, T0)).toBe(false);
      expect(await subscribers.recordTry(old, TRY, DONE)).toBe(false);
      expect(await stage.other.subscribers.recordTry(now as ClaimedDelivery, TRY, DONE)).toBe(true);
    });

    it('recordTry and release end the lease', async () => {
      const { subscribers } = stage.storage;
      const name = await subscriber();
      const first = await claimed(name);
      const results = await parallel(8, (index) =>
        stage
          .turn(index)
          .subscribers.recordTry(first, TRY, { status: 'pending', nextTryAt: later(20), finishedAt: null }),
      );
      expect(results.filter((one) => one)).toHaveLength(1);
      expect(await subscribers.extend([first], later(200))).toEqual([]);
      const [second] = await subscribers.claim(wanted(name), 1, later(20), later(60));
      expect(second).toMatchObject({ id: first.id, tries: [TRY] });
      expect(await subscribers.release(second as ClaimedDelivery, later(30))).toBe(true);
      expect(await subscribers.extend([second as ClaimedDelivery], later(200))).toEqual([]);
      expect(await subscribers.claim(wanted(name), 1, later(29), later(60))).toEqual([]);
      expect(await subscribers.claim(wanted(name), 1, later(30), later(60))).toMatchObject([{ tries: [TRY] }]);
    });

    it('recordTry keeps the last 20 tries', async () => {
      const { subscribers } = stage.storage;
      const name = await subscriber();
      await subscribers.createDeliveries([newSubscriberDelivery(name)]);
      for (let n = 1; n <= 22; n += 1) {
        const [one] = await subscribers.claim(wanted(name), 1, later(n), later(60));
        const outcome = { status: 'pending', nextTryAt: later(n), finishedAt: null } as const;
        expect(await subscribers.recordTry(one as ClaimedDelivery, { ...TRY, durationMs: n }, outcome)).toBe(true);
      }
      const [stored] = await listed(name);
      expect(stored?.tries.map(({ durationMs }) => durationMs)).toEqual(Array.from({ length: 20 }, (_, n) => n + 3));
    });

    it('neglected: events of a subscriber with deliveries that nobody took in time', async () => {
      const { subscribers } = stage.storage;
      const before = later(-80_000);
      const names = await Promise.all(Array.from({ length: 4 }, subscriber));
      const [late, busy, done, idle] = names as [string, string, string, string];
      const at = (name: string) => newSubscriberDelivery(name, { nextTryAt: later(-90_000) });
      const unhandled = { ...at(busy), event: 'reward.issued' };
      await subscribers.createDeliveries([at(late), at(busy), at(done), newSubscriberDelivery(idle)]);
      await subscribers.claim(wanted(busy), 1, T0, later(60));
      const [over] = await subscribers.claim(wanted(done), 1, T0, later(60));
      await subscribers.recordTry(over as ClaimedDelivery, TRY, DONE);
      await subscribers.createDeliveries([unhandled]);
      const found = await stage.other.subscribers.neglected(before);
      const expected = [
        { subscriber: late, event: 'creator.verified' },
        { subscriber: busy, event: 'reward.issued' },
      ];
      expect(found.filter(({ subscriber }) => names.includes(subscriber))).toEqual(
        expected.sort((one, another) => (one.subscriber < another.subscriber ? -1 : 1)),
      );
    });

    it('listBySubscriber: newest first, page by page', async () => {
      const { subscribers } = stage.storage;
      const name = await subscriber();
      for (let n = 0; n < 5; n += 1)
        await subscribers.createDeliveries([newSubscriberDelivery(name, { attemptId: n + 1 })]);
      const page = await stage.other.subscribers.listBySubscriber(name, { page: 2, limit: 2 });
      expect(page.items.map(({ attemptId }) => attemptId)).toEqual([3, 2]);
      expect(page.total).toBe(5);
      await expect(subscribers.listBySubscriber(name, { page: 0, limit: 2 })).rejects.toThrow(RangeError);
    });
  });
}
