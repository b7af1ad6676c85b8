/** What both logs of deliveries have in common: those to webhooks and those to subscribers in process. */
import type { Db } from 'mongodb';
import type { Delivery, DeliveryTry } from '../../core/engagement/webhooks/webhook.ts';
import { instant, instantOrNull, text } from './values.ts';
import { updateAll } from './write-bulk.ts';

/** Tries kept of each delivery. */
const MAX_TRIES = 20;

/** Besides the id of the receiver. */
type LoggedDelivery<B extends number | null = number | null> = Omit<Delivery, 'id' | 'webhookId' | 'brandId'> & {
  readonly brandId: B;
};

/** The fields of a new document besides its id and its receiver. */
export function loggedFields<B extends number | null>(delivery: LoggedDelivery<B>): LoggedDelivery<B> {
  return {
    messageId: text(delivery.messageId),
    brandId: delivery.brandId,
    attemptId: delivery.attemptId,
    event: delivery.event,
    body: delivery.body,
    status: delivery.status,
    tries: delivery.tries.slice(-MAX_TRIES),
    nextTryAt: delivery.nextTryAt,
    createdAt: delivery.createdAt,
    finishedAt: delivery.finishedAt,
  };
}

/** The update that appends a try, drops the oldest of too many, and sets the outcome. */
export function triedUpdate(
  { at, durationMs, status, error }: DeliveryTry,
  outcome: Pick<LoggedDelivery, 'status' | 'nextTryAt' | 'finishedAt'>,
) {
  return {
    $push: { tries: { $each: [{ at: instant(at), durationMs, status, error }], $slice: -MAX_TRIES } },
    $set: {
      status: outcome.status,
      nextTryAt: instantOrNull(outcome.nextTryAt),
      finishedAt: instantOrNull(outcome.finishedAt),
    },
  };
}

/** Deliveries that one command cancels. */
const CANCELLED_TOGETHER = 500;

interface Cancellable extends Pick<Delivery, 'status' | 'nextTryAt' | 'finishedAt'> {
  readonly _id: number;
  readonly webhookId?: number;
  readonly subscriber?: string;
}

/** Cancels the pending deliveries of a receiver, in pieces; returns how many there were. */
export async function cancelPending(
  db: Db,
  name: 'deliveries' | 'subscriberDeliveries',
  receiver: Pick<Cancellable, 'webhookId' | 'subscriber'>,
  now: Date,
): Promise<number> {
  const update = { $set: { status: 'cancelled' as const, nextTryAt: null, finishedAt: instant(now) } };
  const deliveries = db.collection<Cancellable>(name);
  for (let cancelled = 0; ; ) {
    const found = await deliveries
      .find({ ...receiver, status: 'pending' })
      .limit(CANCELLED_TOGETHER)
      .project<{ _id: number }>({ _id: 1 })
      .toArray();
    if (found.length === 0) return cancelled;
    const some = { _id: { $in: found.map(({ _id }) => _id) }, status: 'pending' as const };
    cancelled += (await updateAll(deliveries, some, update)) ?? found.length;
    if (found.length < CANCELLED_TOGETHER) return cancelled;
  }
}
