/**
 * Subscribers of the host's own process. `nextTryAt` of a pending delivery is when it may be claimed: the end of its lease
 * while it is claimed. `lease` is the fence: it grows with every claim and with its end.
 */
import { randomUUID } from 'node:crypto';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import type { EventName } from '../../core/engagement/webhooks/outbox.ts';
import { subscribedEvents } from '../../core/engagement/webhooks/subscriber.ts';
import type { ClaimedDelivery, SubscriberStore } from '../../core/ports/subscriber-store.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { cancelPending, loggedFields, triedUpdate } from './delivery-documents.ts';
import { collection, type SubscriberDeliveryDocument, withId } from './documents.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { chunks, instant, integer, text, texts } from './values.ts';
import { updateAll } from './write-bulk.ts';

function fenced({ id, lease }: Pick<ClaimedDelivery, 'id' | 'lease'>): Filter<SubscriberDeliveryDocument> {
  return { _id: integer(id), lease: integer(lease), status: 'pending' };
}

/** What of one subscriber may be claimed. */
interface Due {
  readonly subscriber: string;
  readonly events: readonly string[];
  readonly nextTryAt: { readonly $lte: Date };
}

async function oldest(db: Db, { subscriber, events, nextTryAt }: Due, limit: number): Promise<readonly number[]> {
  const found = await collection(db, 'subscriberDeliveries')
    .find({ subscriber, status: 'pending', event: { $in: events as EventName[] }, nextTryAt })
    .sort({ nextTryAt: 1, _id: 1 })
    .limit(limit)
    .project<{ _id: number }>({ _id: 1 })
    .toArray();
  return found.map(({ _id }) => _id);
}

/** Claims what is due, those that wait longest first: three commands, however many, and three more for each lost race. */
async function claimDue(db: Db, due: Due, limit: number, leaseUntil: Date): Promise<ClaimedDelivery[]> {
  const deliveries = collection(db, 'subscriberDeliveries');
  const claimed: ClaimedDelivery[] = [];
  while (claimed.length < limit) {
    const wanted = limit - claimed.length;
    const ids = await oldest(db, due, wanted);
    if (ids.length === 0) break;
    const claim = randomUUID();
    const matched = await updateAll(
      deliveries,
      { _id: { $in: ids }, status: 'pending', nextTryAt: due.nextTryAt },
      { $set: { nextTryAt: leaseUntil, claim }, $inc: { lease: 1 } },
    );
    if (matched !== 0) {
      const own = { _id: { $in: ids }, claim, status: 'pending' as const };
      const taken = await deliveries.find(own, { projection: { claim: 0 } }).toArray();
      claimed.push(...taken.sort((a, b) => ids.indexOf(a._id) - ids.indexOf(b._id)).map(withId));
    }
    // Others took the rest of what was found: look behind it.
    if (matched === ids.length && ids.length < wanted) break;
  }
  return claimed;
}

export function createSubscriberStore(connection: Connection): SubscriberStore {
  return {
    subscribe: (subscriptions) =>
      connection.run(async (db) => {
        for (const { subscriber, event, brandId } of subscriptions) {
          const own = brandId === undefined ? {} : { brandId: integer(brandId) };
          await repeatOnClash(() =>
            collection(db, 'subscriptions').updateOne(
              { _id: `${text(subscriber)}:${text(event)}` },
              { $setOnInsert: { subscriber, event, ...own } },
              { upsert: true },
            ),
          );
        }
      }),

    list: () =>
      connection.run((db) =>
        collection(db, 'subscriptions')
          .find({}, { projection: { _id: 0, subscriber: 1, event: 1, brandId: 1 } })
          .sort({ subscriber: 1, event: 1 })
          .toArray(),
      ),

    unsubscribe: (subscriber, now) =>
      connection.run(async (db) => {
        const at = instant(now);
        // In this order: what is created meanwhile finds no subscription, or is cancelled here.
        const { deletedCount } = await collection(db, 'subscriptions').deleteMany({ subscriber: text(subscriber) });
        await cancelPending(db, 'subscriberDeliveries', { subscriber }, at);
        return deletedCount > 0;
      }),

    createDeliveries: (deliveries) =>
      connection.run(async (db) => {
        for (const chunk of chunks(deliveries)) {
          const subscribers = [...new Set(chunk.map(({ subscriber }) => subscriber))];
          const wanted = await subscribed(db, subscribers);
          const documents = await numbered(
            db,
            chunk.filter(({ subscriber }) => wanted.has(subscriber)),
          );
          await insertMissing(db, 'subscriberDeliveries', documents, ['messageId', 'subscriber']);
          const still = await subscribed(db, [...wanted]);
          const forgotten = [...wanted].filter((subscriber) => !still.has(subscriber));
          for (const subscriber of forgotten) {
            await cancelPending(db, 'subscriberDeliveries', { subscriber }, new Date());
          }
        }
      }),

    claim: ({ subscriber, events }, limit, now, leaseUntil) =>
      connection.run((db) => {
        const nextTryAt = { $lte: instant(now) };
        const due = { subscriber: text(subscriber), events: [...new Set(texts(events))], nextTryAt };
        return claimDue(db, due, integer(limit), instant(leaseUntil));
      }),

    extend: (claimed, leaseUntil) =>
      connection.run(async (db) => {
        const update = { $set: { nextTryAt: instant(leaseUntil) } };
        const held = await Promise.all(
          claimed.map(async (one) => {
            const { matchedCount } = await change(db, one, update);
            return matchedCount === 1 ? [one.id] : [];
          }),
        );
        return held.flat();
      }),

    recordTry: (claimed, one, outcome) =>
      connection.run(async (db) => {
        const update = { ...triedUpdate(one, outcome), $inc: { lease: 1 } };
        const { matchedCount } = await change(db, claimed, update);
        return matchedCount === 1;
      }),

    release: (claimed, at) =>
      connection.run(async (db) => {
        const update = { $set: { nextTryAt: instant(at) }, $inc: { lease: 1 } };
        const { matchedCount } = await change(db, claimed, update);
        return matchedCount === 1;
      }),

    neglected: (before) =>
      connection.run(async (db) => {
        const nextTryAt = { $lt: instant(before) };
        const all = await collection(db, 'subscriptions').find().sort({ subscriber: 1, event: 1 }).toArray();
        const found: { subscriber: string; event: EventName }[] = [];
        for (const { subscriber, event } of subscribedEvents(all)) {
          const filter = { subscriber, status: 'pending' as const, event, nextTryAt };
          const one = await collection(db, 'subscriberDeliveries').findOne(filter, { projection: { _id: 1 } });
          if (one !== null) found.push({ subscriber, event });
        }
        return found;
      }),

    listBySubscriber: (subscriber, page, { brandId, status, event } = {}) =>
      connection.run(async (db) => {
        const chosen = {
          subscriber: text(subscriber),
          ...(brandId === undefined ? {} : { brandId: integer(brandId) }),
          ...(event === undefined ? {} : { event: text(event) }),
          ...(status === undefined ? {} : { status: { $eq: status } }),
        };
        const all = collection(db, 'subscriberDeliveries');
        const { items, total } = await readPage(all, chosen, { direction: -1 }, page, {
          projection: { lease: 0, claim: 0 },
        });
        return { items: items.map(withId), total };
      }),
  };
}

/** The server does one update whole or not at all: one that it gives up may be repeated. */
function change(
  db: Db,
  claimed: Pick<ClaimedDelivery, 'id' | 'lease'>,
  update: UpdateFilter<SubscriberDeliveryDocument>,
) {
  const target = fenced(claimed);
  return repeatOnClash(() => collection(db, 'subscriberDeliveries').updateOne(target, update));
}

async function subscribed(db: Db, subscribers: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await collection(db, 'subscriptions').distinct('subscriber', {
    subscriber: { $in: texts(subscribers) },
  });
  return new Set(found);
}

type NewDelivery = Omit<SubscriberDeliveryDocument, '_id' | 'lease'>;

async function numbered(db: Db, deliveries: readonly NewDelivery[]): Promise<SubscriberDeliveryDocument[]> {
  if (deliveries.length === 0) return [];
  const firstId = await reserveIds(db, 'subscriberDeliveries', deliveries.length);
  return deliveries.map((delivery, index) => ({
    _id: firstId + index,
    subscriber: text(delivery.subscriber),
    lease: 0,
    ...loggedFields(delivery),
  }));
}
