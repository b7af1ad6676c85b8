import { describe, expect, it } from 'vitest';
import type { Delivery, DeliveryTry, Webhook } from '../../../core/engagement/webhooks/webhook.ts';
import type { PageRequest } from '../../../core/ports/paging.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import type { DeliveryFilter } from '../../../core/ports/webhook-store.ts';
import { later, NASTY_TEXTS, newDelivery, newWebhook, parallel, pendingDeliveries, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const pause = async ({ webhooks }: Pick<Storage, 'webhooks'>, { id, url, activations }: Webhook) =>
  (await webhooks.update({ id, url, activations }, { active: false })) !== null;

export function webhookStoreContract(create: () => Promise<StorageWorld>): void {
  describe('webhooks', () => {
    const stage = prepareStage(create);

    it('are found within their brand only, and listed by id', async () => {
      const { webhooks } = stage.storage;
      const first = await webhooks.create(newWebhook(501, { description: 'd', lastTriggeredAt: T0 }));
      const second = await webhooks.create(newWebhook(501));
      const given = newWebhook(501, { description: 'd', lastTriggeredAt: T0 });
      expect(first).toEqual({ ...given, id: first.id, activations: 0, previousSecret: null, lastFailure: null });
      expect(await stage.other.webhooks.find(first.id, 501)).toEqual(first);
      expect(await stage.other.webhooks.find(first.id, 1_002)).toBeNull();
      expect(await stage.other.webhooks.find(first.id)).toEqual(first);
      expect(await stage.other.webhooks.list({ brandId: 501 })).toEqual([first, second]);
      expect(await stage.other.webhooks.list({ brandId: 1_002 })).toEqual([]);
    });

    it('newest: the last one made, of any brand, that is still there', async () => {
      const { webhooks } = stage.storage;
      const first = await webhooks.create(newWebhook(1_006));
      const second = await webhooks.create(newWebhook(1_005, { active: false }));
      expect((await stage.other.webhooks.list({ newest: true }))[0]).toEqual(second);
      expect(await webhooks.delete(1_005, second.id)).toBe(true);
      expect((await stage.other.webhooks.list({ newest: true }))[0]).toEqual(first);
    });

    it('subscribed: active ones that want the event', async () => {
      const { webhooks } = stage.storage;
      const wanted = await webhooks.create(newWebhook(1_010, { events: ['verification.failed'] }));
      await webhooks.create(newWebhook(1_010, { events: ['reward.issued'] }));
      await webhooks.create(newWebhook(1_010, { events: ['verification.failed'], active: false }));
      const drifted = newWebhook(1_011, { events: ['verification.failed', 'platform.drifted'] });
      const ofAnother = await webhooks.create(drifted);
      await webhooks.create({ ...drifted, active: false });
      expect(await webhooks.list({ brandId: 1_010, subscribedTo: 'verification.failed' })).toEqual([wanted]);
      expect(await webhooks.list({ subscribedTo: 'platform.drifted' })).toEqual([ofAnother]);
    });

    it('subscribed: what wants the event at that moment, of one brand or all', async () => {
      const { webhooks } = stage.storage;
      const event = 'platform.recovered';
      const asking = { events: ['reward.issued', event, event] } as const;
      const [one, two, three, ofAnother] = [
        await webhooks.create(newWebhook(1_012, asking)),
        await webhooks.create(newWebhook(1_012, asking)),
        await webhooks.create(newWebhook(1_012, { events: ['reward.issued'] })),
        await webhooks.create(newWebhook(1_011, asking)),
      ];
      const subscribed = async (brandId?: number) =>
        (await stage.other.webhooks.list({ ...(brandId && { brandId }), subscribedTo: event })).map(({ id }) => id);
      expect(await subscribed(1_012)).toEqual([one.id, two.id]);
      expect(await subscribed()).toEqual([one.id, two.id, ofAnother.id]);
      await webhooks.update({ brandId: 1_012, id: one.id }, { events: ['reward.issued'] });
      await webhooks.update({ brandId: 1_012, id: three.id }, { events: [event] });
      await webhooks.update({ brandId: 1_011, id: ofAnother.id }, { active: false });
      expect(await subscribed(1_012)).toEqual([two.id, three.id]);
      expect(await subscribed()).toEqual([two.id, three.id]);
      expect(await pause(stage.storage, two)).toBe(true);
      await webhooks.update({ brandId: 1_011, id: ofAnother.id }, { active: true });
      expect(await subscribed()).toEqual([three.id, ofAnother.id]);
      await webhooks.update({ brandId: 1_012, id: two.id }, { active: true, events: [event], description: 'again' });
      await webhooks.delete(1_012, three.id);
      expect(await subscribed(1_012)).toEqual([two.id]);
      expect(await subscribed(1_011)).toEqual([ofAnother.id]);
    });

    it('lists and receivers of thousands of webhooks are complete and in order', async () => {
      const { webhooks } = stage.storage;
      const made: number[] = [];
      const create = (brandId: number) => webhooks.create(newWebhook(brandId, { events: ['account.connected'] }));
      for (let each = 0; each < 8; each += 1) {
        made.push(...(await parallel(150, (index) => create(1_013 + (index % 2)))).map(({ id }) => id));
      }
      const ids = made.toSorted((one, other) => one - other);
      const idsOf = async (found: Promise<readonly { readonly id: number }[]>) => (await found).map(({ id }) => id);
      expect(await idsOf(webhooks.list({ subscribedTo: 'account.connected' }))).toEqual(ids);
      const ofBrand = await idsOf(webhooks.list({ brandId: 1_013 }));
      expect(ofBrand).toHaveLength(600);
      expect(await idsOf(webhooks.list({ brandId: 1_013, subscribedTo: 'account.connected' }))).toEqual(ofBrand);
    });

    it('update changes what is given, and nothing of another brand', async () => {
      const { webhooks } = stage.storage;
      const stored = await webhooks.create(newWebhook(1_020, { description: 'old' }));
      expect(await webhooks.update({ brandId: 1_020, id: stored.id }, {})).toEqual(stored);
      const changed = await webhooks.update(
        { brandId: 1_020, id: stored.id },
        { active: false, events: ['reward.issued'] },
      );
      expect(changed).toEqual({ ...stored, active: false, events: ['reward.issued'] });
      expect(
        await webhooks.update({ brandId: 1_020, id: stored.id }, { description: null, url: 'https://example.com/2' }),
      ).toEqual({
        ...changed,
        description: null,
        url: 'https://example.com/2',
      });
      expect(await webhooks.update({ brandId: 1_021, id: stored.id }, { active: true })).toBeNull();
      expect(
        await webhooks.update({ brandId: 1_020, id: stored.id }, { url: 'https://evil.example' }, ['reward.issued']),
      ).toBeNull();
      expect(await webhooks.update({ brandId: 1_020, id: stored.id }, {}, ['reward.issued'])).toBeNull();
      expect(await webhooks.update({ brandId: 1_020, id: stored.id }, {}, ['account.connected'])).not.toBeNull();
      expect((await stage.other.webhooks.find(stored.id))?.active).toBe(false);
    });

    it('rotateSecret keeps the secret before, and forgets the one before that', async () => {
      const { webhooks } = stage.storage;
      const stored = await webhooks.create(newWebhook(1_023, { sealedSecret: 'first' }));
      const bystander = await webhooks.create(newWebhook(1_023));
      const once = await webhooks.update(
        { brandId: 1_023, id: stored.id },
        { secret: { sealed: '$second', previousUntil: later(10) } },
      );
      const previousSecret = { sealed: 'first', validUntil: later(10) };
      expect(once).toEqual({ ...stored, sealedSecret: '$second', previousSecret });
      expect(await stage.other.webhooks.find(stored.id)).toEqual(once);
      const twice = await stage.other.webhooks.update(
        { brandId: 1_023, id: stored.id },
        {
          secret: { sealed: 'third', previousUntil: later(20) },
        },
      );
      expect(twice?.previousSecret).toEqual({ sealed: '$second', validUntil: later(20) });
      expect(await webhooks.update({ brandId: 1_023, id: stored.id }, { description: 'd' })).toEqual({
        ...twice,
        description: 'd',
      });
      expect(
        await webhooks.update(
          { brandId: 1_024, id: stored.id },
          { secret: { sealed: 'wrong brand', previousUntil: later(30) } },
        ),
      ).toBeNull();
      expect(
        await webhooks.update(
          { brandId: 1_023, id: 987_654 },
          { secret: { sealed: 'nobody', previousUntil: later(30) } },
        ),
      ).toBeNull();
      expect(await stage.other.webhooks.list({ brandId: 1_023 })).toEqual([{ ...twice, description: 'd' }, bystander]);
    });

    it('rotateSecret: of rotations at the same time, each keeps the secret of the one before it', async () => {
      const { webhooks } = stage.storage;
      const { id } = await webhooks.create(newWebhook(1_024, { sealedSecret: 'start' }));
      const results = await parallel(6, (index) =>
        stage
          .turn(index)
          .webhooks.update(
            { brandId: 1_024, id: id },
            { secret: { sealed: `secret ${index}`, previousUntil: later(index) } },
          ),
      );
      const replaced = results.map((one) => one?.previousSecret?.sealed);
      const left = (await webhooks.find(id))?.sealedSecret;
      expect([...replaced, left].sort()).toEqual(['start', ...results.map((_, index) => `secret ${index}`)].sort());
    });

    it('update: a pause only with the URL and the activations that were seen, whichever comes first', async () => {
      const { webhooks } = stage.storage;
      const { other } = stage;
      const first = await webhooks.create(newWebhook(1_025, { url: 'https://example.com/old' }));
      const second = await webhooks.create(newWebhook(1_025, { url: 'https://example.com/old' }));
      expect(await pause(stage.storage, first)).toBe(true);
      expect(await other.webhooks.find(first.id)).toEqual({ ...first, active: false });
      expect(await other.webhooks.find(second.id)).toEqual(second);
      // Paused already.
      expect(await pause(stage.storage, first)).toBe(true);

      const moved = await webhooks.update(
        { brandId: 1_025, id: first.id },
        { url: 'https://example.com/new', description: 'd' },
      );
      expect(moved).toEqual({ ...first, active: false, url: 'https://example.com/new', description: 'd' });
      expect(await pause(stage.storage, first)).toBe(false);
      const activated = await webhooks.update({ brandId: 1_025, id: first.id }, { url: first.url, active: true });
      expect(activated).toMatchObject({ url: first.url, active: true, activations: 1 });
      expect(await pause(stage.storage, first)).toBe(false);
      expect(await other.webhooks.find(first.id)).toEqual(activated);
      // Also of one that was active all the time.
      const again = await webhooks.update({ brandId: 1_025, id: first.id }, { active: true });
      expect(again).toEqual({ ...activated, activations: 2 });
      expect(await pause(stage.storage, activated ?? first)).toBe(false);
      expect(await pause(stage.storage, again ?? first)).toBe(true);
      expect(await other.webhooks.list({ brandId: 1_025 })).toEqual([{ ...again, active: false }, second]);
      expect(await webhooks.update({ brandId: 1_025, id: first.id }, { active: false })).toMatchObject({
        activations: 2,
      });
      expect(await pause(stage.storage, { ...first, id: 987_654 })).toBe(false);
    });

    it('markTriggered moves forward only', async () => {
      const { webhooks } = stage.storage;
      const { id } = await webhooks.create(newWebhook(1_030));
      await parallel(6, (index) => stage.turn(index).webhooks.markTriggered(id, later(index)));
      expect((await webhooks.find(id))?.lastTriggeredAt).toEqual(later(5));
      await webhooks.markTriggered(987_654, T0);
    });

    it('markTriggered keeps the latest failure, whatever succeeds after it', async () => {
      const { webhooks } = stage.storage;
      const { id } = await webhooks.create(newWebhook(1_031));
      const failure = (n: number) => ({ at: later(n), status: n === 4 ? null : 500 - n, error: NASTY_TEXTS[n] ?? '' });
      await parallel(5, (index) => stage.turn(index).webhooks.markTriggered(id, later(index), failure(index)));
      await webhooks.markTriggered(id, later(9));
      await webhooks.markTriggered(id, later(2), failure(2));
      expect(await stage.other.webhooks.find(id)).toMatchObject({ lastTriggeredAt: later(9), lastFailure: failure(4) });
    });

    it('delete removes the webhook and the log of its deliveries, once', async () => {
      const { webhooks, deliveries } = stage.storage;
      const [gone, kept] = [await webhooks.create(newWebhook(1_040)), await webhooks.create(newWebhook(1_040))];
      await deliveries.createMany(Array.from({ length: 300 }, () => newDelivery(gone.id)));
      const [left] = await deliveries.createMany([newDelivery(kept.id)]);
      const before = await stage.world.count('deliveries');
      expect(await webhooks.delete(1_041, gone.id)).toBe(false);
      const results = await parallel(6, (index) => stage.turn(index).webhooks.delete(1_040, gone.id));
      expect(results.filter((one) => one)).toHaveLength(1);
      expect(await webhooks.find(gone.id)).toBeNull();
      expect(await stage.world.count('deliveries')).toBe(before - 300);
      expect(await deliveries.find(left?.id ?? 0)).not.toBeNull();
      expect((await webhooks.create(newWebhook(1_040))).id).toBeGreaterThan(kept.id);
    });
  });

  describe('deliveries', () => {
    const stage = prepareStage(create);
    const tried = (n: number): DeliveryTry => ({
      at: later(n),
      durationMs: n,
      status: n === 1 ? null : 500,
      error: 'no',
      ...(n === 2 && { response: NASTY_TEXTS.join('\n') }),
    });
    const pending = { status: 'pending', nextTryAt: later(9), finishedAt: null } as const;

    /** Ids of new webhooks. */
    const receivers = async (count: number): Promise<readonly [number, ...number[]]> => {
      const ids: number[] = [];
      while (ids.length < count) ids.push((await stage.storage.webhooks.create(newWebhook(1_049))).id);
      return ids as [number, ...number[]];
    };

    it('createMany: new by message and webhook, results in input order', async () => {
      const { deliveries } = stage.storage;
      const [here, there = 0] = await receivers(2);
      const one = newDelivery(here, { body: NASTY_TEXTS.join('\n'), attemptId: 4 });
      const two = newDelivery(there, { messageId: one.messageId });
      const [first] = await deliveries.createMany([one]);
      expect(first).toEqual({ ...one, id: first?.id });
      await deliveries.recordTry(first?.id ?? 0, tried(1), { status: 'succeeded', nextTryAt: null, finishedAt: T0 });
      const again = await deliveries.createMany([two, one, two]);
      expect(again.map((delivery) => delivery.target)).toEqual([there, here, there]);
      expect(again[1]).toMatchObject({ id: first?.id, status: 'succeeded' });
      expect(again[0]).toEqual(again[2]);
      expect(await deliveries.createMany([])).toEqual([]);
      expect(await stage.other.deliveries.find(again[0]?.id ?? 0)).toEqual({ ...two, id: again[0]?.id });
      expect(await stage.other.deliveries.find(987_654)).toBeNull();
    });

    it('createMany of many, some of them stored before: each is found under its own id', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      const many = Array.from({ length: 80 }, (_, index) => newDelivery(receiver, { body: `body ${index}` }));
      const before = await deliveries.createMany(many.slice(30, 32));
      const stored = await deliveries.createMany(many);
      expect(stored.slice(30, 32)).toEqual(before);
      expect(stored.map(({ body }) => body)).toEqual(many.map(({ body }) => body));
      const found = await Promise.all(stored.map(({ id }) => stage.other.deliveries.find(id)));
      expect(found).toEqual(stored);
    });

    it('search: by message id with its redeliveries, and by attempt, newest first', async () => {
      const { deliveries } = stage.storage;
      const [here = 0, there = 0] = await receivers(2);
      const messageId = unique('msg_search');
      const attemptId = 760_001;
      const stored = await deliveries.createMany([
        newDelivery(here, { messageId, attemptId }),
        newDelivery(there, { messageId }),
        newDelivery(here, { messageId: `${messageId}#again`, attemptId }),
        newDelivery(here),
      ]);
      const ids = stored.map(({ id }) => id);
      const found = async (...search: Parameters<typeof deliveries.search>) =>
        (await stage.other.deliveries.search(...search)).map(({ id }) => id);
      expect(await found({ messageId }, 9)).toEqual([ids[2], ids[1], ids[0]]);
      expect(await found({ messageId }, 1)).toEqual([ids[2]]);
      expect(await found({ messageId: `${messageId}%` }, 9)).toEqual([]);
      expect(await found({ attemptIds: [attemptId, 760_002] }, 9)).toEqual([ids[2], ids[0]]);
      expect(await found({ attemptIds: [] }, 9)).toEqual([]);
    });

    it('series: the deliveries of a target by when they were made and by the status that they have now', async () => {
      const { deliveries } = stage.storage;
      const [here = 0, there = 0] = await receivers(2);
      const stored = await deliveries.createMany([
        newDelivery(here, { createdAt: later(-1) }),
        newDelivery(here, { createdAt: T0 }),
        newDelivery(here, { createdAt: later(3_599) }),
        newDelivery(here, { createdAt: later(3_600), event: 'account.connected' }),
        newDelivery(there, { createdAt: T0 }),
      ]);
      await deliveries.recordTry(stored[1]?.id ?? 0, tried(1), { status: 'failed', nextTryAt: null, finishedAt: T0 });
      const range = { by: 'hour', from: T0, to: later(7_200) } as const;
      const found = async (filter?: Parameters<typeof deliveries.series>[2]) =>
        [...(await stage.other.deliveries.series(here, range, filter))].sort((a, b) => (a.name < b.name ? -1 : 1));
      const first = [
        { at: T0, name: 'failed', count: 1 },
        { at: T0, name: 'pending', count: 1 },
      ];
      const all = await found();
      expect(all).toHaveLength(3);
      expect(all).toEqual(expect.arrayContaining([...first, { at: later(3_600), name: 'pending', count: 1 }]));
      expect(await found({ exceptEvents: ['account.connected'] })).toEqual(first);
    });

    it('createMany: repeated and concurrent dispatches of one event store each delivery once', async () => {
      const before = await stage.world.count('deliveries');
      const event = (await receivers(5)).map((id) => newDelivery(id));
      const results = await parallel(8, (index) => stage.turn(index).deliveries.createMany(event));
      const idsOf = (result: readonly Delivery[]) => result.map(({ id }) => id);
      for (const result of results) expect(idsOf(result)).toEqual(idsOf(results[0] ?? []));
      expect(await stage.world.count('deliveries')).toBe(before + 5);
    });

    it('recordTry appends while pending; the last 20 tries are kept', async () => {
      const { deliveries } = stage.storage;
      const [{ id } = { id: 0 }] = await deliveries.createMany([newDelivery((await receivers(1))[0])]);
      for (let n = 1; n <= 22; n++) expect(await deliveries.recordTry(id, tried(n), pending)).toBe(true);
      const stored = await stage.other.deliveries.find(id);
      expect(stored?.tries).toEqual(Array.from({ length: 20 }, (_, index) => tried(index + 3)));
      expect(stored?.nextTryAt).toEqual(later(9));
      const failed = { status: 'failed', nextTryAt: null, finishedAt: later(30) } as const;
      const results = await parallel(8, (index) =>
        stage.turn(index).deliveries.recordTry(id, tried(50 + index), failed),
      );
      expect(results.filter((one) => one)).toHaveLength(1);
      expect(await deliveries.find(id)).toMatchObject(failed);
      expect(await deliveries.recordTry(987_654, tried(1), pending)).toBe(false);
    });

    it('cancelPending cancels more than one piece', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      await deliveries.createMany(Array.from({ length: 501 }, () => newDelivery(receiver)));
      expect(await deliveries.cancelPending(receiver, later(8))).toBe(501);
      expect(await pendingDeliveries(deliveries, receiver)).toEqual([]);
    });

    it('cancelPending cancels the pending ones of the webhook', async () => {
      const { deliveries } = stage.storage;
      const [here, there = 0] = await receivers(2);
      const [a, b, c] = await deliveries.createMany([here, here, there].map((id) => newDelivery(id)));
      const done = { status: 'succeeded', nextTryAt: null, finishedAt: T0 } as const;
      await deliveries.recordTry(b?.id ?? 0, tried(2), done);
      expect(await deliveries.cancelPending(here, later(8))).toBe(1);
      expect(await deliveries.cancelPending(here, later(9))).toBe(0);
      const states: (Delivery['status'] | undefined)[] = [];
      for (const one of [a, b, c]) states.push((await stage.other.deliveries.find(one?.id ?? 0))?.status);
      expect(states).toEqual(['cancelled', 'succeeded', 'pending']);
      const cancelled = await deliveries.find(a?.id ?? 0);
      expect(cancelled).toMatchObject({ nextTryAt: null, finishedAt: later(8), tries: [] });
    });

    /** Claims from webhooks of this test alone: it leaves no room for others. */
    const only = (...rooms: readonly (readonly [number, number])[]) => ({ total: 100, each: 0, of: new Map(rooms) });
    const idsOf = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id);

    it('claim: due ones, the longest wait first, under a lease whose end is their next try', async () => {
      const { deliveries } = stage.storage;
      const [here, there = 0] = await receivers(2);
      const at = (webhookId: number, seconds: number) => newDelivery(webhookId, { nextTryAt: later(seconds) });
      const [second, first, future, over, other] = await deliveries.createMany([
        at(here, -7),
        at(here, -8),
        at(here, 60),
        at(here, -9),
        at(there, -7.5),
      ]);
      await deliveries.recordTry(over?.id ?? 0, tried(1), { status: 'failed', nextTryAt: null, finishedAt: T0 });
      const claimed = await stage.other.deliveries.claim(only([here, 9], [there, 9]), T0, later(30));
      expect(idsOf(claimed)).toEqual([first?.id, other?.id, second?.id]);
      expect(claimed[0]).toEqual({ ...first, nextTryAt: later(30), lease: 1 });
      expect(await deliveries.claim(only([here, 9], [there, 9]), later(29), later(90))).toEqual([]);
      const again = await deliveries.claim(only([here, 9], [there, 9]), later(60), later(90));
      const leases = new Map(again.map(({ id, lease }) => [id, lease]));
      expect([first, second, other, future].map((one) => leases.get(one?.id ?? 0))).toEqual([2, 2, 2, 1]);
    });

    it('claim: a webhook without room, or with a long backlog, holds no other up', async () => {
      const { deliveries } = stage.storage;
      const [busy, full = 0, quiet = 0] = await receivers(3);
      const at = (webhookId: number, seconds: number) => newDelivery(webhookId, { nextTryAt: later(seconds) });
      const backlog = Array.from({ length: 300 }, () => at(busy, -9));
      await deliveries.createMany([...backlog, at(full, -9), at(quiet, -1)]);
      const claimed = await deliveries.claim(only([busy, 8], [full, 0], [quiet, 8]), T0, later(30));
      expect(claimed.filter(({ target }) => target === busy)).toHaveLength(8);
      expect(claimed.map(({ target }) => target)).toContain(quiet);
      expect(claimed.map(({ target }) => target)).not.toContain(full);
      const few = { ...only([busy, 8]), total: 3 };
      expect(await deliveries.claim(few, T0, later(30))).toHaveLength(3);
      const others = await deliveries.claim({ total: 100, each: 1, of: new Map([[busy, 0]]) }, T0, later(30));
      expect(idsOf(others).length).toBeGreaterThan(0);
      expect(others.map(({ target }) => target)).not.toContain(busy);
    });

    it('claim: none of a paused webhook, again once it is active', async () => {
      const { deliveries, webhooks } = stage.storage;
      const [paused, active] = [await webhooks.create(newWebhook(1_050)), await webhooks.create(newWebhook(1_050))];
      const [first, second] = await deliveries.createMany([newDelivery(paused.id), newDelivery(active.id)]);
      await webhooks.update({ brandId: 1_050, id: paused.id }, { active: false });
      const claim = async () => {
        const limits = only([paused.id, 9], [active.id, 9]);
        return idsOf(await stage.other.deliveries.claim(limits, later(5), later(30)));
      };
      expect(await claim()).toEqual([second?.id]);
      await webhooks.update({ brandId: 1_050, id: paused.id }, { active: true });
      expect(await claim()).toEqual([first?.id]);
    });

    it('claim: each goes to one of concurrent callers', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      const stored = await deliveries.createMany(Array.from({ length: 40 }, () => newDelivery(receiver)));
      const claims = await parallel(8, (index) =>
        stage.turn(index).deliveries.claim(only([receiver, 7]), later(5), later(60)),
      );
      const rest = await deliveries.claim(only([receiver, 100]), later(5), later(60));
      const ids = [...claims.flat(), ...rest].map(({ id }) => id);
      expect(ids).toHaveLength(40);
      expect(new Set(ids)).toEqual(new Set(idsOf(stored)));
    });

    it('extend: lengthens or ends leases that hold; a lease that ran out and was claimed again does not', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      await deliveries.createMany([newDelivery(receiver), newDelivery(receiver)]);
      const claim = (seconds: number) => deliveries.claim(only([receiver, 9]), later(seconds), later(seconds + 10));
      const held = await claim(5);
      const [one, two] = held;
      if (one === undefined || two === undefined) throw new Error('unreachable');
      expect(await stage.other.deliveries.extend(held, later(50))).toEqual(idsOf(held));
      expect(await claim(49)).toEqual([]);
      expect(await deliveries.extend([one], later(20))).toEqual([one.id]);
      const [again] = await claim(20);
      expect(again).toMatchObject({ id: one.id, lease: one.lease + 1 });
      expect(await deliveries.extend(held, later(90))).toEqual([two.id]);
      await deliveries.recordTry(two.id, tried(1), { status: 'succeeded', nextTryAt: null, finishedAt: T0 });
      expect(await deliveries.extend([two], later(90))).toEqual([]);
      expect(await deliveries.extend([], later(90))).toEqual([]);
    });

    it('afterSetBack: what waits is due as if the clock had not been ahead', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      const at = (seconds: number) => newDelivery(receiver, { nextTryAt: later(seconds) });
      const [due, near, far] = await deliveries.createMany([at(-50), at(3_600), at(7_290)]);
      await stage.other.deliveries.afterSetBack(T0, 7_200_000);
      const claim = async (seconds: number) =>
        idsOf(await deliveries.claim(only([receiver, 9]), later(seconds), later(99_999)));
      expect(await claim(0)).toEqual([due?.id, near?.id]);
      expect(await claim(89)).toEqual([]);
      expect(await claim(90)).toEqual([far?.id]);
    });

    it('afterSetBack: of one target only, as if all of it had waited since 1970', async () => {
      const { deliveries } = stage.storage;
      const [receiver = 0, other = 0] = await receivers(2);
      const [one] = await deliveries.createMany(
        [receiver, other].map((id) => newDelivery(id, { nextTryAt: later(9) })),
      );
      await stage.other.deliveries.afterSetBack(T0, T0.getTime(), receiver);
      expect(idsOf(await deliveries.claim(only([receiver, 9], [other, 9]), T0, later(60)))).toEqual([one?.id]);
      expect((await deliveries.find(one?.id ?? 0))?.nextTryAt).toEqual(later(60));
    });

    it('createMany leaves out those of webhooks that are gone', async () => {
      const { deliveries, webhooks } = stage.storage;
      const [kept, gone = 0] = await receivers(2);
      await deliveries.createMany([newDelivery(gone)]);
      const before = await stage.world.count('deliveries');
      expect(await webhooks.delete(1_049, gone)).toBe(true);
      const given = [gone, kept, 987_654, ...Array<number>(60).fill(gone), kept].map((id) => newDelivery(id));
      const stored = await stage.other.deliveries.createMany(given);
      expect(stored.map(({ id, ...one }) => one)).toEqual(given.filter(({ target }) => target === kept));
      expect(await deliveries.createMany(given)).toEqual(stored);
      expect(await deliveries.createMany([newDelivery(gone)])).toEqual([]);
      expect(await stage.world.count('deliveries')).toBe(before - 1 + stored.length);
    });

    it('createMany: deliveries that are stored while their webhook is deleted do not stay', async () => {
      const before = await stage.world.count('deliveries');
      for (const id of await receivers(4)) {
        await parallel(7, async (index) => {
          if (index === 3) await stage.other.webhooks.delete(1_049, id);
          else await stage.turn(index).deliveries.createMany([newDelivery(id), newDelivery(id)]);
        });
      }
      expect(await stage.world.count('deliveries')).toBe(before);
    });

    it('list: by status, by event and by both, with their own totals', async () => {
      const { deliveries } = stage.storage;
      const [webhookId, another = 0] = await receivers(2);
      const [a, b, c] = await deliveries.createMany([
        newDelivery(webhookId, { event: 'reward.issued', status: 'failed', nextTryAt: null, finishedAt: T0 }),
        newDelivery(webhookId, { event: 'webhook.test', status: 'failed', nextTryAt: null, finishedAt: T0 }),
        newDelivery(webhookId, { event: 'reward.issued' }),
        newDelivery(another, { event: 'reward.issued' }),
      ]);
      const list = async (filter: DeliveryFilter) => {
        const { items, total } = await stage.other.deliveries.list(webhookId, { page: 1, limit: 9 }, filter);
        expect(total).toBe(items.length);
        return items.map(({ id }) => id);
      };
      const [first, second, third] = [a?.id, b?.id, c?.id];
      expect(await list({})).toEqual([third, second, first]);
      expect(await list({ status: 'failed' })).toEqual([second, first]);
      expect(await list({ event: 'reward.issued' })).toEqual([third, first]);
      expect(await list({ status: 'failed', event: 'reward.issued' })).toEqual([first]);
      expect(await list({ status: 'cancelled' })).toEqual([]);
      await deliveries.cancelPending(webhookId, T0);
      expect(await list({ status: 'cancelled' })).toEqual([third]);
    });

    it('list: without some events, in pages, with the total of the others', async () => {
      const { deliveries } = stage.storage;
      const [webhookId] = await receivers(1);
      const events = ['reward.issued', 'account.connected', 'creator.verified', 'account.connected', 'reward.issued'];
      const stored = await deliveries.createMany(events.map((event) => newDelivery(webhookId, { event })));
      const ids = [4, 2, 0].map((at) => stored[at]?.id ?? 0);
      const exceptEvents = ['account.connected', 'webhook.test'];
      const list = async (page: PageRequest, filter: DeliveryFilter = {}) => {
        const found = await stage.other.deliveries.list(webhookId, page, { ...filter, exceptEvents });
        return [found.total, ...found.items.map(({ id }) => id)];
      };
      expect(await list({ page: 1, limit: 9 })).toEqual([3, ...ids]);
      expect(await list({ page: 2, limit: 2 })).toEqual([3, ids[2]]);
      expect(await list({ page: 1, limit: 9, after: { id: ids[0] ?? 0 } })).toEqual([3, ...ids.slice(1)]);
      expect(await list({ page: 1, limit: 9 }, { status: 'pending' })).toEqual([3, ...ids]);
      expect(await list({ page: 1, limit: 9 }, { event: 'reward.issued' })).toEqual([2, ids[0], ids[2]]);
      expect(await list({ page: 1, limit: 9 }, { event: 'account.connected' })).toEqual([0]);
    });

    it('replay: what failed since then is pending again, once; the rest stays as it is', async () => {
      const { deliveries } = stage.storage;
      const [receiver, another = 0] = await receivers(2);
      const failed = (seconds: number, changes: Partial<Delivery> = {}) =>
        newDelivery(receiver, { status: 'failed', nextTryAt: null, finishedAt: later(seconds), ...changes });
      const tries = Array.from({ length: 8 }, (_, n) => tried(n));
      const stored = await deliveries.createMany([
        failed(9),
        failed(10, { tries }),
        failed(30, { event: 'account.connected' }),
        failed(20),
        newDelivery(receiver, { status: 'succeeded', nextTryAt: null, finishedAt: later(20) }),
        failed(20, { target: another }),
      ]);
      const [early, first, hidden, second] = stored;
      const which = { failedSince: later(10), exceptEvents: ['account.connected'] };
      const list = async (filter: DeliveryFilter) => {
        const { items, total } = await stage.other.deliveries.list(receiver, { page: 1, limit: 9 }, filter);
        return [total, ...idsOf(items)];
      };
      expect(await list(which)).toEqual([2, second?.id, first?.id]);
      expect(await list({ ...which, status: 'succeeded' })).toEqual([0]);
      expect(await list({ failedSince: T0 })).toEqual([4, second?.id, hidden?.id, first?.id, early?.id]);
      const counts = await parallel(4, (index) => stage.turn(index).deliveries.replay(receiver, which, later(40)));
      expect(counts.reduce((sum, count) => sum + count)).toBe(2);
      expect(await list(which)).toEqual([0]);
      const claimed = await deliveries.claim(only([receiver, 9]), later(40), later(99));
      const again = { status: 'pending', finishedAt: null, replayedAt: later(40), lease: 1 };
      expect(claimed).toMatchObject([
        { id: first?.id, tries, ...again },
        { id: second?.id, tries: [], ...again },
      ]);
      expect(await deliveries.replay(receiver, which, later(50))).toBe(0);
      const rest = [early, hidden, ...stored.slice(4)];
      expect(await Promise.all(rest.map((one) => stage.other.deliveries.find(one?.id ?? 0)))).toEqual(rest);
    });

    it('replay: some hundred at a time', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      const failed = { status: 'failed', nextTryAt: null, finishedAt: T0 } as const;
      await deliveries.createMany(Array.from({ length: 1_100 }, () => newDelivery(receiver, failed)));
      let replayed = 0;
      for (let some = 1; some > 0; replayed += some) {
        some = await deliveries.replay(receiver, { failedSince: T0 }, later(1));
        expect(some).toBeLessThanOrEqual(500);
      }
      expect(replayed).toBe(1_100);
    });

    it('health: counts the newest hundred, each webhook by itself', async () => {
      const { deliveries } = stage.storage;
      const [one, two = 0, none = 0] = await receivers(3);
      const ended = (status: Delivery['status']) => ({ status, nextTryAt: null, finishedAt: T0 });
      const failing = { tries: [tried(1)] };
      await deliveries.createMany([
        ...Array.from({ length: 9 }, () => newDelivery(one, ended('failed'))),
        newDelivery(two, ended('failed')),
        newDelivery(two, ended('cancelled')),
        newDelivery(two),
        ...Array.from({ length: 2 }, () => newDelivery(one, failing)),
        newDelivery(two, failing),
        newDelivery(two, ended('succeeded')),
      ]);
      const health = async () => Object.fromEntries(await stage.other.deliveries.health([one, two, none]));
      const ofTwo = { succeeded: 1, failed: 1, retrying: 1 };
      expect(await health()).toMatchObject({ [one]: { succeeded: 0, failed: 9, retrying: 2 }, [two]: ofTwo });
      await deliveries.createMany(Array.from({ length: 97 }, () => newDelivery(one, ended('succeeded'))));
      expect(await health()).toMatchObject({ [one]: { succeeded: 97, failed: 1, retrying: 2 }, [two]: ofTwo });
      const total = (counts?: object) => Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
      expect(total((await health())[none])).toBe(0);
      expect(await deliveries.health([])).toEqual(new Map());
    });

    it('list: newest first', async () => {
      const { deliveries } = stage.storage;
      const [receiver] = await receivers(1);
      const stored = await deliveries.createMany(
        Array.from({ length: 5 }, () => newDelivery(receiver, { messageId: unique('m') })),
      );
      const newest = stored.toReversed();
      expect(await deliveries.list(receiver, { page: 1, limit: 3 })).toEqual({
        items: newest.slice(0, 3),
        total: 5,
      });
      expect(await deliveries.list(receiver, { page: 2, limit: 3 })).toEqual({
        items: newest.slice(3),
        total: 5,
      });
    });
  });
}
