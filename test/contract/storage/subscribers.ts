import { describe, expect, it } from 'vitest';
import { EVENT_NAMES, type EventName } from '../../../core/engagement/webhooks/outbox.ts';
import { later, NASTY_TEXTS, newDelivery, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const PAGE = { page: 1, limit: 100 };
const DONE = { status: 'succeeded', nextTryAt: null, finishedAt: later(5) } as const;
const TRY = { at: later(1), durationMs: 3, status: null, error: 'no' };

export function subscriberStoreContract(create: () => Promise<StorageWorld>): void {
  describe('subscribers', () => {
    const stage = prepareStage(create);

    async function subscriber(): Promise<string> {
      const name = unique('sub');
      await stage.storage.subscribers.subscribe([{ subscriber: name, event: '*' }]);
      return name;
    }
    const listed = async (name: string) => (await stage.other.deliveries.list(name, PAGE)).items;
    /** What of one subscriber a process claims that handles these events of it. */
    const limits = (name: string, events: readonly EventName[] = EVENT_NAMES, most = 9) => ({
      total: most,
      each: 0,
      of: new Map([[name, most]]),
      handled: new Map([[name, events]]),
    });

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
      const { subscribers, deliveries } = stage.storage;
      const name = unique('sub');
      await subscribers.subscribe([{ subscriber: name, event: '*', brandId: 7 }]);
      await subscribers.subscribe([{ subscriber: name, event: '*', brandId: 8 }]);
      const stored = (await stage.other.subscribers.list()).filter((one) => one.subscriber === name);
      expect(stored).toEqual([{ subscriber: name, event: '*', brandId: 7 }]);
      const made = [7, 8, 7].map((brandId) => newDelivery(name, { brandId }));
      await deliveries.createMany([...made, newDelivery(name, { brandId: null, event: 'account.connected' })]);
      const own = await stage.other.deliveries.list(name, { page: 1, limit: 1 }, { brandId: 7 });
      expect(own).toMatchObject({ total: 2, items: [{ brandId: 7, messageId: made[2]?.messageId }] });
      expect((await deliveries.list(name, PAGE, { brandId: 9 })).total).toBe(0);
      expect((await deliveries.list(name, PAGE, { brandId: 7, event: 'account.connected' })).total).toBe(0);
      expect((await deliveries.list(name, PAGE)).items[0]).toMatchObject({ brandId: null });
    });

    it('deliveries are new by message and subscriber; those that are there stay', async () => {
      const { deliveries } = stage.storage;
      const [one, two] = [await subscriber(), await subscriber()];
      const delivery = newDelivery(one, { body: NASTY_TEXTS.join('\n'), attemptId: 4 });
      await parallel(10, (index) => stage.turn(index).deliveries.createMany([delivery, { ...delivery, target: two }]));
      const [stored, ...others] = await listed(one);
      expect(stored).toEqual({ ...delivery, id: stored?.id });
      expect(others).toEqual([]);
      expect(await deliveries.recordTry(stored?.id ?? 0, TRY, DONE)).toBe(true);
      await deliveries.createMany([delivery]);
      expect(await listed(one)).toEqual([{ ...delivery, id: stored?.id, ...DONE, tries: [TRY] }]);
    });

    it('a subscriber that is named as a webhook is numbered is another target', async () => {
      const { deliveries, subscribers, webhooks } = stage.storage;
      const [webhook] = await webhooks.list({ newest: true });
      const name = String(webhook?.id ?? 1);
      await subscribers.subscribe([{ subscriber: name, event: '*' }]);
      await deliveries.createMany([newDelivery(name)]);
      expect((await deliveries.list(Number(name), PAGE)).items.filter(({ target }) => target === name)).toEqual([]);
      const claimed = await deliveries.claim({ total: 9, each: 9, of: new Map() }, later(1), later(60));
      expect(claimed.filter(({ target }) => target === name)).toEqual([]);
      expect(await listed(name)).toHaveLength(1);
    });

    it('unsubscribe removes the subscriptions once; the log stays, and nothing new comes in', async () => {
      const { subscribers, deliveries } = stage.storage;
      const name = await subscriber();
      await deliveries.createMany([newDelivery(name)]);
      const results = await parallel(4, (index) => stage.turn(index).subscribers.unsubscribe(name));
      expect(results.filter((one) => one)).toHaveLength(1);
      expect(await deliveries.createMany([newDelivery(name)])).toEqual([]);
      expect(await deliveries.cancelPending(name, later(9))).toBe(1);
      expect(await listed(name)).toMatchObject([{ status: 'cancelled', nextTryAt: null, finishedAt: later(9) }]);
      expect(await subscribers.unsubscribe(name)).toBe(false);
    });

    it('deliveries that are created while their subscriber is forgotten do not stay pending', async () => {
      const name = await subscriber();
      await Promise.all([
        parallel(10, (index) => stage.turn(index).deliveries.createMany([newDelivery(name)])),
        stage.other.subscribers.unsubscribe(name).then(() => stage.other.deliveries.cancelPending(name, T0)),
      ]);
      expect((await listed(name)).filter(({ status }) => status === 'pending')).toEqual([]);
    });

    it('claim: of a subscriber the due ones of the events that are handled, the longest wait first', async () => {
      const { deliveries } = stage.storage;
      const [name, other] = [await subscriber(), await subscriber()];
      const at = (seconds: number, changes = {}) => newDelivery(name, { nextTryAt: later(seconds), ...changes });
      const rewarded = at(2, { event: 'reward.issued' });
      const given = [at(3), at(1), rewarded, at(11), newDelivery(other)];
      await deliveries.createMany(given);
      const [first] = await deliveries.claim(limits(name, ['creator.verified'], 1), later(10), later(60));
      expect(first).toMatchObject({ lease: 1, nextTryAt: later(60), target: name });
      const rest = await stage.other.deliveries.claim(limits(name, ['creator.verified']), later(10), later(60));
      expect([first, ...rest].map((one) => one?.messageId)).toEqual([given[1]?.messageId, given[0]?.messageId]);
      expect(await deliveries.claim(limits(name, []), later(10), later(60))).toEqual([]);
      expect(await deliveries.claim({ ...limits(name), of: new Map([[name, 0]]) }, later(10), later(60))).toEqual([]);
      expect(await deliveries.claim(limits(name), later(10), later(60))).toMatchObject([{ event: 'reward.issued' }]);
    });

    it('claim: each goes to exactly one of concurrent callers, again once its lease ran out', async () => {
      const name = await subscriber();
      await stage.storage.deliveries.createMany(Array.from({ length: 20 }, () => newDelivery(name)));
      const results = await parallel(16, (index) =>
        stage.turn(index).deliveries.claim(limits(name, EVENT_NAMES, 5), later(1), later(60)),
      );
      const rest = await stage.storage.deliveries.claim(limits(name, EVENT_NAMES, 20), later(1), later(60));
      const ids = [...results.flat(), ...rest].map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(20);
      expect(await stage.other.deliveries.claim(limits(name, EVENT_NAMES, 20), later(60), later(90))).toHaveLength(20);
    });
  });
}
