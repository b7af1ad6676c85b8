/** What the rows of both logs of deliveries have in common: those to webhooks and those to subscribers in process. */
import type { SubscriberDelivery } from '../../core/engagement/webhooks/subscriber.ts';
import type { Delivery, DeliveryTry } from '../../core/engagement/webhooks/webhook.ts';
import { fromJson, millis, millisOrNull, toDate, toDateOrNull, type Value } from './values.ts';

/** Tries kept of each delivery. */
const MAX_TRIES = 20;

/** Besides the id of the receiver. */
type LoggedDelivery = Omit<Delivery, 'id' | 'webhookId' | 'brandId'> & Pick<SubscriberDelivery, 'brandId'>;

export interface DeliveryRow extends Omit<Delivery, 'webhookId' | 'tries' | 'nextTryAt' | 'createdAt' | 'finishedAt'> {
  readonly id: number;
  readonly tries: string;
  readonly nextTryAt: number | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

interface TryAsJson extends Omit<DeliveryTry, 'at'> {
  readonly at: string;
}

/** For a SELECT, besides the receiver. */
export const DELIVERY_COLUMNS = `id, message_id AS messageId, brand_id AS brandId, attempt_id AS attemptId, event, body, status,
  tries, next_try_at AS nextTryAt, created_at AS createdAt, finished_at AS finishedAt`;

/** For an INSERT, in the order of `insertedValues`. */
export const INSERTED_COLUMNS =
  'message_id, brand_id, attempt_id, event, body, status, tries, next_try_at, created_at, finished_at';

export function insertedValues(delivery: LoggedDelivery): readonly Value[] {
  return [
    delivery.messageId,
    delivery.brandId,
    delivery.attemptId,
    delivery.event,
    delivery.body,
    delivery.status,
    JSON.stringify(keptTries(delivery)),
    millisOrNull(delivery.nextTryAt),
    millis(delivery.createdAt),
    millisOrNull(delivery.finishedAt),
  ];
}

/** The tries that are stored: the last ones. */
function keptTries({ tries }: Pick<LoggedDelivery, 'tries'>): readonly DeliveryTry[] {
  return tries.slice(-MAX_TRIES);
}

/** For an UPDATE, with the values of `triedValues`: appends a try, drops the oldest of too many, and sets the outcome. */
export const TRIED = `tries = json_insert(
    CASE WHEN json_array_length(tries) < ${MAX_TRIES} THEN tries ELSE json_remove(tries, '$[0]') END, '$[#]', json(?)),
  status = ?, next_try_at = ?, finished_at = ?`;

export function triedValues(
  one: DeliveryTry,
  { status, nextTryAt, finishedAt }: Pick<LoggedDelivery, 'status' | 'nextTryAt' | 'finishedAt'>,
): readonly Value[] {
  return [JSON.stringify(one), status, millisOrNull(nextTryAt), millisOrNull(finishedAt)];
}

/** For an UPDATE of pending deliveries, with the time. */
export const CANCELLED = "status = 'cancelled', next_try_at = NULL, finished_at = ?";

export function toDelivery<R extends DeliveryRow>(row: R) {
  return {
    ...row,
    tries: fromJson<TryAsJson[]>(row.tries).map((one) => ({ ...one, at: new Date(one.at) })),
    nextTryAt: toDateOrNull(row.nextTryAt),
    createdAt: toDate(row.createdAt),
    finishedAt: toDateOrNull(row.finishedAt),
  };
}
