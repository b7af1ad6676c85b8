/** Deliveries that may be sent now, and their leases. `nextTryAt` is the end of the lease while a delivery is claimed. */
import { randomUUID } from 'node:crypto';
import type { Db, Filter } from 'mongodb';
import type { DeliveryTarget } from '../../core/engagement/webhooks/webhook.ts';
import type { ClaimLimits, DeliveryStore, LeasedDelivery } from '../../core/ports/webhook-store.ts';
import type { Connection } from './database.ts';
import { collection, type DeliveryDocument, withId } from './documents.ts';
import { repeatOnClash } from './repeat.ts';
import { instant, integer } from './values.ts';

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
async function roomsOf(db: Db, { total, each, of, handled }: ClaimLimits, now: Date): Promise<readonly Room[]> {
  const waiting = await collection(db, 'deliveries')
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
  const active = await collection(db, 'webhooks').distinct('_id', { _id: { $in: ids }, active: true });
  return rooms.filter(({ target }) => typeof target === 'string' || active.includes(target));
}

async function dueOf(db: Db, limits: ClaimLimits, now: Date): Promise<readonly number[]> {
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
  const coll = collection(db, 'deliveries').collectionName;
  const pipeline = [...first, ...others.map((one) => ({ $unionWith: { coll, pipeline: one } }))];
  // Else a server sends the first hundred, and the rest for one more command.
  const batchSize = rooms.reduce((sum, { most }) => sum + most, 0) + 1;
  const found = await collection(db, 'deliveries').aggregate<Due>(pipeline, { batchSize }).toArray();
  return found
    .sort((one, other) => one.nextTryAt.getTime() - other.nextTryAt.getTime() || one._id - other._id)
    .slice(0, limits.total)
    .map(({ _id }) => _id);
}

function fenced({ id, lease }: Pick<LeasedDelivery, 'id' | 'lease'>): Filter<DeliveryDocument> {
  return { _id: integer(id), lease: integer(lease), status: 'pending' };
}

export function dueDeliveries(connection: Connection): Pick<DeliveryStore, 'claim' | 'extend' | 'afterSetBack'> {
  return {
    claim: (limits, now, leaseUntil) =>
      connection.run(async (db): Promise<LeasedDelivery[]> => {
        const deliveries = collection(db, 'deliveries');
        const ids = await dueOf(db, limits, instant(now));
        if (ids.length === 0) return [];
        const claim = randomUUID();
        const due: Filter<DeliveryDocument> = { _id: { $in: [...ids] }, status: 'pending', nextTryAt: { $lte: now } };
        const update = { $set: { nextTryAt: instant(leaseUntil), claim }, $inc: { lease: 1 } };
        await repeatOnClash(() => deliveries.updateMany(due, update));
        // Others may have claimed some of them.
        const own = await deliveries.find({ _id: { $in: [...ids] }, claim }, { projection: { claim: 0 } }).toArray();
        return own.sort((one, other) => ids.indexOf(one._id) - ids.indexOf(other._id)).map(withId);
      }),

    extend: (leased, leaseUntil) =>
      connection.run(async (db) => {
        if (leased.length === 0) return [];
        const held = { $or: leased.map(fenced) };
        const update = { $set: { nextTryAt: instant(leaseUntil) } };
        const { matchedCount } = await repeatOnClash(() => collection(db, 'deliveries').updateMany(held, update));
        if (matchedCount === leased.length) return leased.map(({ id }) => id);
        const found = await collection(db, 'deliveries').find(held).project<{ _id: number }>({ _id: 1 }).toArray();
        return found.map(({ _id }) => _id);
      }),

    afterSetBack: (now, byMs) =>
      connection.run(async (db) => {
        const at = instant(now);
        const nextTryAt = { $max: [at, { $subtract: ['$nextTryAt', integer(byMs)] }] };
        await collection(db, 'deliveries').updateMany({ status: 'pending', nextTryAt: { $gt: at } }, [
          { $set: { nextTryAt } },
        ]);
      }),
  };
}
