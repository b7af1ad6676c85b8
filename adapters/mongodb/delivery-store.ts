import type { Db, Filter } from 'mongodb';
import type {
  Delivery,
  DeliveryCounts,
  DeliveryStatus,
  DeliveryTarget,
} from '../../core/engagement/webhooks/webhook.ts';
import { type DeliveryFilter, type DeliveryStore, HEALTH_OF } from '../../core/ports/webhook-store.ts';
import { countByTime } from './count-by-time.ts';
import { reserveIds } from './counters.ts';
import type { Connection } from './database.ts';
import { type CollectionName, collection, type DeliveryDocument, withId } from './documents.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { insertMissing } from './insert-missing.ts';
import { readPage } from './pages.ts';
import { repeatOnClash } from './repeat.ts';
import { chunks, instant, instantOrNull, integer, integers, text, texts } from './values.ts';

/** Tries kept of each delivery. */
const MAX_TRIES = 20;
/** Deliveries that one command cancels or replays. */
const CHANGED_TOGETHER = 500;

function toDelivery({ lease, claim, replayedAt, ...delivery }: DeliveryDocument): Delivery {
  return withId(delivery);
}

function targetOf(target: DeliveryTarget): DeliveryTarget {
  return typeof target === 'number' ? integer(target) : text(target);
}

export function createDeliveryStore(connection: Connection): DeliveryStore {
  return {
    ...dueDeliveries(connection),

    createMany: (deliveries) =>
      connection.run(async (db) => {
        const stored: Delivery[] = [];
        for (const chunk of chunks(deliveries)) stored.push(...(await createChunk(db, chunk)));
        return stored;
      }),

    find: (id) =>
      connection.run(async (db) => {
        const delivery = await collection(db, 'deliveries').findOne({ _id: integer(id) });
        return delivery === null ? null : toDelivery(delivery);
      }),

    recordTry: (id, { at, ...one }, outcome) =>
      connection.run(async (db) => {
        const pending = { _id: integer(id), status: 'pending' as const };
        const update = {
          $push: { tries: { $each: [{ at: instant(at), ...one }], $slice: -MAX_TRIES } },
          $set: {
            status: outcome.status,
            nextTryAt: instantOrNull(outcome.nextTryAt),
            finishedAt: instantOrNull(outcome.finishedAt),
          },
        };
        return (await repeatOnClash(() => collection(db, 'deliveries').updateOne(pending, update))).matchedCount === 1;
      }),

    cancelPending: (target, now) => connection.run((db) => cancelPending(db, targetOf(target), now)),

    search: (which, limit) =>
      connection.run(async (db) => {
        const chosen =
          'attemptIds' in which
            ? { attemptId: { $in: integers(which.attemptIds) } }
            : { messageId: { $gte: text(which.messageId), $lt: `${which.messageId}\u{10FFFF}` } };
        const found = collection(db, 'deliveries').find(chosen).sort({ _id: -1 }).limit(integer(limit));
        return (await found.toArray()).map(toDelivery);
      }),

    health: (webhookIds) =>
      connection.run(async (db) => {
        const counted = await Promise.all(integers(webhookIds).map((id) => countNewest(db, id)));
        return new Map(counted.flat().map(({ _id, ...counts }) => [_id, counts]));
      }),

    replay: (webhookId, which, now) =>
      connection.run(async (db) => {
        const deliveries = collection(db, 'deliveries');
        const failed = filtered(integer(webhookId), which);
        const found = await deliveries
          .find(failed)
          .sort({ finishedAt: 1, _id: 1 })
          .limit(CHANGED_TOGETHER)
          .project<{ _id: number }>({ _id: 1 })
          .toArray();
        const some = { _id: { $in: found.map(({ _id }) => _id) }, status: 'failed' as const };
        const again = {
          status: 'pending' as const,
          nextTryAt: instant(now),
          replayedAt: now,
          finishedAt: null,
          lease: 0,
        };
        return (await repeatOnClash(() => deliveries.updateMany(some, { $set: again }))).modifiedCount;
      }),

    list: (target, page, filter = {}) =>
      connection.run(async (db) => {
        const chosen = filtered(targetOf(target), filter);
        const { items, total } = await readPage(collection(db, 'deliveries'), chosen, { direction: -1 }, page);
        return { items: items.map(toDelivery), total };
      }),

    series: (target, range, { exceptEvents = [] } = {}) =>
      connection.run((db) => {
        const others = exceptEvents.length === 0 ? {} : { event: { $nin: texts(exceptEvents) } };
        const match = { target: targetOf(target), ...others };
        return countByTime(db, range, 'deliveries', { match, time: 'createdAt', name: '$status', count: 1 });
      }),
  };
}

function filtered(target: DeliveryTarget, filter: DeliveryFilter): Filter<DeliveryDocument> {
  const { status, event, brandId, failedSince, exceptEvents = [] } = filter;
  return {
    target,
    ...(brandId !== undefined && { brandId: integer(brandId) }),
    event: { ...(event !== undefined && { $eq: text(event) }), $nin: texts(exceptEvents) },
    ...((status ?? failedSince) && {
      status: { ...(failedSince && { $eq: 'failed' }), ...(status && { $in: [status] }) },
    }),
    ...(failedSince && { finishedAt: { $gte: instant(failedSince) } }),
  };
}

/** What came of the newest deliveries to a webhook; empty if there are none. */
function countNewest(db: Db, target: number): Promise<(DeliveryCounts & { readonly _id: number })[]> {
  const isStatus = (status: DeliveryStatus) => ({ $eq: ['$status', status] });
  const count = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
  const counts = {
    succeeded: count(isStatus('succeeded')),
    failed: count(isStatus('failed')),
    retrying: count({ $and: [isStatus('pending'), { $ne: ['$tries', []] }] }),
  };
  const newest = [{ $match: { target } }, { $sort: { _id: -1 } }, { $limit: HEALTH_OF }];
  return collection(db, 'deliveries')
    .aggregate<DeliveryCounts & { readonly _id: number }>([...newest, { $group: { _id: '$target', ...counts } }])
    .toArray();
}

/** Cancels in pieces; returns how many there were. */
async function cancelPending(db: Db, target: DeliveryTarget, now: Date): Promise<number> {
  const update = { $set: { status: 'cancelled' as const, nextTryAt: null, finishedAt: instant(now) } };
  const deliveries = collection(db, 'deliveries');
  for (let cancelled = 0; ; ) {
    const found = await deliveries
      .find({ target, status: 'pending' })
      .limit(CHANGED_TOGETHER)
      .project<{ _id: number }>({ _id: 1 })
      .toArray();
    if (found.length === 0) return cancelled;
    const some = { _id: { $in: found.map(({ _id }) => _id) }, status: 'pending' as const };
    await repeatOnClash(() => deliveries.updateMany(some, update));
    cancelled += found.length;
    if (found.length < CHANGED_TOGETHER) return cancelled;
  }
}

/** A webhook or subscriber that is there. */
interface Receiver {
  readonly receiver: DeliveryTarget;
}

/** Identifies a delivery; the parts cannot run into each other. */
function identity({ messageId, target }: Pick<Delivery, 'messageId' | 'target'>): string {
  return JSON.stringify([target, messageId]);
}

async function createChunk(db: Db, deliveries: readonly Omit<Delivery, 'id'>[]): Promise<Delivery[]> {
  if (deliveries.length === 0) return [];
  const firstId = await reserveIds(db, 'deliveries', deliveries.length);
  const documents = deliveries.map(
    (delivery, index): DeliveryDocument => ({
      _id: firstId + index,
      ...delivery,
      messageId: text(delivery.messageId),
      target: targetOf(delivery.target),
      tries: delivery.tries.slice(-MAX_TRIES),
      lease: 0,
    }),
  );
  const inserted = await insertMissing(db, 'deliveries', documents, ['messageId', 'target']);
  const messageIds = [...new Set(documents.map(({ messageId }) => messageId))];
  const targets = [...new Set(documents.map(({ target }) => target))];
  const thereOf = (name: CollectionName, key: string) => {
    const pipeline = [{ $match: { [key]: { $in: targets } } }, { $project: { _id: 0, receiver: `$${key}` } }];
    return { $unionWith: { coll: collection(db, name).collectionName, pipeline } };
  };
  // The targets too, in the same command. One that is there now removes or cancels these deliveries if it is deleted later.
  const found = await collection(db, 'deliveries')
    .aggregate<DeliveryDocument | Receiver>([
      { $match: { messageId: { $in: messageIds } } },
      thereOf('webhooks', '_id'),
      thereOf('subscriptions', 'subscriber'),
    ])
    .toArray();
  const receivers = new Set(found.flatMap((one) => ('receiver' in one ? one.receiver : [])));
  const all = found.flatMap((one) => ('receiver' in one ? [] : one));
  // What was stored earlier of a subscriber that is gone is its log.
  const orphans = all.filter(
    ({ _id, target }) =>
      targets.includes(target) && !receivers.has(target) && (typeof target === 'number' || inserted.has(_id)),
  );
  if (orphans.length > 0) {
    await collection(db, 'deliveries').deleteMany({ _id: { $in: orphans.map(({ _id }) => _id) } });
  }
  const stored = new Map(all.map((document) => [identity(document), document]));
  // One that is missing was of a target that is gone.
  return documents.flatMap((document) => {
    const there = stored.get(identity(document));
    return there === undefined || !receivers.has(there.target) ? [] : [toDelivery(there)];
  });
}
