import type { Filter } from 'mongodb';
import type {
  Delivery,
  DeliveryCounts,
  DeliveryStatus,
  DeliveryTarget,
} from '../../core/engagement/webhooks/webhook.ts';
import { type DeliveryFilter, type DeliveryStore, HEALTH_OF, KEPT_TRIES } from '../../core/ports/webhook-store.ts';
import { countByTime } from './count-by-time.ts';
import type { DocumentOf } from './documents.ts';
import { dueDeliveries } from './due-deliveries.ts';
import type { Database } from './items.ts';
import { chunks, equals, instant, integer, integers, text, texts } from './values.ts';

type DeliveryDocument = DocumentOf<'deliveries'>;

/** Deliveries that one command cancels or replays. */
const CHANGED_TOGETHER = 500;

export function createDeliveryStore(db: Database): DeliveryStore {
  const { deliveries } = db;
  return {
    ...dueDeliveries(db),

    async createMany(given) {
      const stored: Delivery[] = [];
      for (const chunk of chunks(given)) stored.push(...(await createChunk(db, chunk)));
      return stored;
    },

    find: (id) => deliveries.find({ _id: integer(id) }),

    recordTry: (id, one, { status, nextTryAt, finishedAt }) =>
      deliveries.updateTogether({
        // A command that is repeated, since others met it, appends no try twice.
        filter: { _id: integer(id), status: 'pending', 'tries.at': { $ne: one.at } },
        $push: { tries: { $each: [one], $slice: -KEPT_TRIES } },
        $set: { status, nextTryAt, finishedAt },
      }),

    async cancelPending(target, now) {
      const pending = { ...equals({ target }), status: 'pending' as const };
      for (let cancelled = 0; ; ) {
        const some = await deliveries.ids(pending, { limit: CHANGED_TOGETHER });
        if (some.length === 0) return cancelled;
        const $set = { status: 'cancelled' as const, nextTryAt: null, finishedAt: instant(now) };
        await deliveries.updateAll({ _id: { $in: some }, status: 'pending' }, { $set });
        cancelled += some.length;
        if (some.length < CHANGED_TOGETHER) return cancelled;
      }
    },

    search(which, limit) {
      const chosen =
        'attemptIds' in which
          ? { attemptId: { $in: integers(which.attemptIds) } }
          : { messageId: { $gte: text(which.messageId), $lt: `${which.messageId}\u{10FFFF}` } };
      return deliveries.list(chosen, { sort: { _id: -1 }, limit: integer(limit) });
    },

    async health(webhookIds) {
      const counted = await Promise.all(integers(webhookIds).map((id) => countNewest(db, id)));
      return new Map(counted.flat().map(({ _id, ...counts }) => [_id, counts]));
    },

    async replay(webhookId, which, now) {
      const oldest = { sort: { finishedAt: 1, _id: 1 }, limit: CHANGED_TOGETHER } as const;
      const some = await deliveries.ids(filtered(webhookId, which), oldest);
      const $set = { status: 'pending' as const, nextTryAt: now, replayedAt: now, finishedAt: null, lease: 0 };
      return deliveries.updateAll({ _id: { $in: some }, status: 'failed' }, { $set });
    },

    list: (target, page, filter = {}) => deliveries.page(filtered(target, filter), '-id', page),

    series(target, range, { exceptEvents = [] } = {}) {
      const others = exceptEvents.length > 0 && { event: { $nin: texts(exceptEvents) } };
      const match = { ...equals({ target }), ...others };
      return countByTime(db, 'deliveries', range, { match, time: 'createdAt', name: '$status', count: 1 });
    },
  };
}

function filtered(target: DeliveryTarget, filter: DeliveryFilter): Filter<DeliveryDocument> {
  const { status, event, brandId, failedSince, exceptEvents = [] } = filter;
  return {
    ...equals({ target }, { brandId }),
    event: { ...(event !== undefined && { $eq: text(event) }), $nin: texts(exceptEvents) },
    ...((status ?? failedSince) && {
      status: { ...(failedSince && { $eq: 'failed' }), ...(status && { $in: [status] }) },
    }),
    ...(failedSince && { finishedAt: { $gte: instant(failedSince) } }),
  };
}

/** What came of the newest deliveries to a webhook; empty if there are none. */
function countNewest(db: Database, target: number): Promise<(DeliveryCounts & { readonly _id: number })[]> {
  const isStatus = (status: DeliveryStatus) => ({ $eq: ['$status', status] });
  const count = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
  const counts = {
    succeeded: count(isStatus('succeeded')),
    failed: count(isStatus('failed')),
    retrying: count({ $and: [isStatus('pending'), { $ne: ['$tries', []] }] }),
  };
  const newest = [{ $match: { target } }, { $sort: { _id: -1 } }, { $limit: HEALTH_OF }];
  return db.deliveries.raw
    .aggregate<DeliveryCounts & { readonly _id: number }>([...newest, { $group: { _id: '$target', ...counts } }])
    .toArray();
}

/** Identifies a delivery; the parts cannot run into each other. */
function identity({ messageId, target }: Pick<Delivery, 'messageId' | 'target'>): string {
  return JSON.stringify([target, messageId]);
}

async function createChunk(db: Database, given: readonly Omit<Delivery, 'id'>[]): Promise<Delivery[]> {
  const wanted = given.map((delivery) => ({
    ...delivery,
    ...equals({ messageId: delivery.messageId, target: delivery.target }),
    tries: delivery.tries.slice(-KEPT_TRIES),
    lease: 0,
  }));
  const inserted = new Set((await db.deliveries.insertNew(wanted)).map(({ _id }) => _id));
  const messageIds = [...new Set(wanted.map(({ messageId }) => messageId))];
  const targets = [...new Set(wanted.map(({ target }) => target))];
  const [ids, names] = [targets.filter(Number.isInteger) as number[], targets.filter((one) => typeof one === 'string')];
  // The targets only now: one that is there removes or cancels these deliveries if it is deleted later.
  const [all, webhooks, subscribers] = await Promise.all([
    db.deliveries.raw.find({ messageId: { $in: messageIds } }).toArray(),
    ids.length === 0 ? [] : db.webhooks.ids({ _id: { $in: ids } }),
    names.length === 0 ? [] : db.subscriptions.raw.distinct('subscriber', { subscriber: { $in: names } }),
  ]);
  const receivers = new Set<DeliveryTarget>([...webhooks, ...subscribers]);
  // What was stored earlier of a subscriber that is gone is its log.
  const orphans = all.filter(
    ({ _id, target }) =>
      targets.includes(target) && !receivers.has(target) && (typeof target === 'number' || inserted.has(_id)),
  );
  if (orphans.length > 0) await db.deliveries.deleteAll({ _id: { $in: orphans.map(({ _id }) => _id) } });
  const stored = new Map(all.map((document) => [identity(document), document]));
  // One that is missing was of a target that is gone.
  return wanted.flatMap((delivery) => {
    const there = stored.get(identity(delivery));
    return there === undefined || !receivers.has(there.target) ? [] : [db.deliveries.toItem(there)];
  });
}
