/** Deliveries that may be sent now, and their leases. `nextTryAt` is the end of the lease while a delivery is claimed. */
import { randomUUID } from 'node:crypto';
import type { Db, Filter } from 'mongodb';
import type { ClaimLimits, DeliveryStore, LeasedDelivery } from '../../core/ports/webhook-store.ts';
import type { Connection } from './database.ts';
import { collection, type DeliveryDocument, withId } from './documents.ts';
import { front, inOneCommand } from './fronts.ts';
import { repeatOnClash } from './repeat.ts';
import { instant, integer } from './values.ts';

interface Due {
  readonly _id: number;
  readonly nextTryAt: Date;
}

/** Active webhooks that something is due for, with how much may be claimed. Reads one entry of the index for each. */
async function targetsOf(db: Db, { total, each, of }: ClaimLimits, now: Date) {
  const waiting = await collection(db, 'deliveries')
    .aggregate<{ readonly _id: number; readonly nextTryAt: Date }>([
      { $match: { status: 'pending' } },
      { $sort: { webhookId: 1, nextTryAt: 1 } },
      { $group: { _id: '$webhookId', nextTryAt: { $first: '$nextTryAt' } } },
    ])
    .toArray();
  const due = waiting.filter(({ nextTryAt }) => nextTryAt <= now);
  const targets = due
    .map(({ _id }) => ({ webhookId: _id, room: Math.min(integer(total), of.get(_id) ?? integer(each)) }))
    .filter(({ room }) => room > 0);
  if (targets.length === 0) return [];
  const ids = targets.map(({ webhookId }) => webhookId);
  const active = await collection(db, 'webhooks').distinct('_id', { _id: { $in: ids }, active: true });
  return targets.filter(({ webhookId }) => active.includes(webhookId));
}

async function dueOf(db: Db, limits: ClaimLimits, now: Date): Promise<readonly number[]> {
  const targets = await targetsOf(db, limits, now);
  const fronts = targets.map(({ webhookId, room }) =>
    front('deliveries', { status: 'pending', webhookId, nextTryAt: { $lte: now } }, { nextTryAt: 1, _id: 1 }, room, {
      nextTryAt: 1,
    }),
  );
  const most = targets.reduce((sum, { room }) => sum + room, 0);
  const found = await inOneCommand<Due>(db, most, fronts);
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
        return own
          .sort((one, other) => ids.indexOf(one._id) - ids.indexOf(other._id))
          .map(({ lease = 0, ...delivery }) => ({ ...withId(delivery), lease }));
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
