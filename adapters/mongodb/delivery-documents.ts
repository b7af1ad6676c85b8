/** What both logs of deliveries have in common: those to webhooks and those to subscribers in process. */
import type { Delivery, DeliveryTry } from '../../core/engagement/webhooks/webhook.ts';
import { instant, instantOrNull, text } from './values.ts';

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

/** The update that cancels a pending delivery. */
export function cancelledUpdate(now: Date) {
  return { $set: { status: 'cancelled', nextTryAt: null, finishedAt: instant(now) } } as const;
}
