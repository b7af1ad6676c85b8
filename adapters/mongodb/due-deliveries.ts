/** Deliveries that may be sent now, and their leases. `nextTryAt` is the end of the lease while a delivery is claimed. */
import type { DeliveryTarget } from '../../core/engagement/webhooks/webhook.ts';
import type { ClaimLimits, DeliveryStore, LeasedDelivery } from '../../core/ports/webhook-store.ts';
import type { Database } from './items.ts';
import { claimLeases, extendLeases } from './leases.ts';
import { equals, instant, integer } from './values.ts';

interface Due {
  readonly _id: number;
  readonly nextTryAt: Date;
}

/** What may be claimed of one target. */
interface Room {
  readonly target: DeliveryTarget;
  readonly most: number;
  /** All of them by default. */
  readonly events?: readonly string[] | undefined;
}

/** Active webhooks and handled subscribers that something is due for. Reads one entry of the index for each. */
async function roomsOf(db: Database, { total, each, of, handled }: ClaimLimits, now: Date): Promise<readonly Room[]> {
  const waiting = await db.deliveries.raw
    .aggregate<{ readonly _id: DeliveryTarget; readonly nextTryAt: Date }>([
      { $match: { status: 'pending' } },
      { $sort: { target: 1, nextTryAt: 1 } },
      { $group: { _id: '$target', nextTryAt: { $first: '$nextTryAt' } } },
    ])
    .toArray();
  const rooms = waiting
    .filter(({ nextTryAt }) => nextTryAt <= now)
    .map(({ _id: target }): Room => {
      const events = typeof target === 'number' ? undefined : (handled?.get(target) ?? []);
      return { target, most: Math.min(integer(total), of.get(target) ?? integer(each)), events };
    })
    .filter(({ most, events }) => most > 0 && events?.length !== 0);
  const ids = rooms.flatMap(({ target }) => (typeof target === 'number' ? target : []));
  if (ids.length === 0) return rooms;
  const active = await db.webhooks.raw.distinct('_id', { _id: { $in: ids }, active: true });
  return rooms.filter(({ target }) => typeof target === 'string' || active.includes(target));
}

async function dueOf(db: Database, limits: ClaimLimits, now: Date): Promise<readonly number[]> {
  const rooms = await roomsOf(db, limits, now);
  const [first, ...others] = rooms.map(({ target, most, events }) => {
    const ofEvents = events === undefined ? {} : { event: { $in: [...events] } };
    return [
      { $match: { status: 'pending', target, nextTryAt: { $lte: now }, ...ofEvents } },
      { $sort: { nextTryAt: 1, _id: 1 } },
      { $limit: most },
      { $project: { nextTryAt: 1 } },
    ];
  });
  if (first === undefined) return [];
  const { raw } = db.deliveries;
  const pipeline = [...first, ...others.map((one) => ({ $unionWith: { coll: raw.collectionName, pipeline: one } }))];
  // Else a server sends the first hundred, and the rest for one more command.
  const batchSize = rooms.reduce((sum, { most }) => sum + most, 0) + 1;
  const found = await raw.aggregate<Due>(pipeline, { batchSize }).toArray();
  return found
    .sort((one, other) => one.nextTryAt.getTime() - other.nextTryAt.getTime() || one._id - other._id)
    .slice(0, limits.total)
    .map(({ _id }) => _id);
}

export function dueDeliveries(db: Database): Pick<DeliveryStore, 'claim' | 'extend' | 'afterSetBack'> {
  const { deliveries } = db;
  return {
    async claim(limits, now, leaseUntil) {
      const ids = await dueOf(db, limits, instant(now));
      if (ids.length === 0) return [];
      const due = { status: 'pending' as const, nextTryAt: { $lte: now } };
      const own = await claimLeases(deliveries, due, ids, { $set: { nextTryAt: instant(leaseUntil) }, $inc: {} });
      const toLeased = ({ lease, replayedAt, ...delivery }: (typeof own)[number]): LeasedDelivery => {
        return { ...deliveries.toItem({ ...delivery, lease }), lease, ...(replayedAt && { replayedAt }) };
      };
      return own.sort((one, other) => ids.indexOf(one._id) - ids.indexOf(other._id)).map(toLeased);
    },

    extend: (leased, leaseUntil) => extendLeases(deliveries, 'pending', leased, { nextTryAt: leaseUntil }),

    async afterSetBack(now, byMs, target) {
      const nextTryAt = { $max: [now, { $subtract: ['$nextTryAt', integer(byMs)] }] };
      const later = { status: 'pending' as const, nextTryAt: { $gt: now }, ...equals({}, { target }) };
      await deliveries.updateAll(later, [{ $set: { nextTryAt } }]);
    },
  };
}
