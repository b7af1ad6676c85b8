/** Webhook registrations and the log of their deliveries (docs/specification/engagement.md#webhook). */
import { TEST_MESSAGE } from './message-id.ts';
import { ACCOUNT_EVENT_NAMES, type EventName } from './outbox.ts';

/** A receiver of events that a brand registered. */
export interface Webhook {
  readonly id: number;
  readonly brandId: number;
  readonly url: string;
  readonly events: readonly EventName[];
  readonly active: boolean;
  readonly description: string | null;
  /** The `whsec_` secret sealed by the `SecretBox`; never the secret itself. */
  readonly sealedSecret: string;
  /** The secret before the last rotation, sealed too, and when it stops signing; null if there was no rotation. */
  readonly previousSecret: PreviousSecret | null;
  /** How often somebody has set `active` to true: what was found out about the receiver before says nothing any more. */
  readonly activations: number;
  readonly lastTriggeredAt: Date | null;
  /** The last try that failed, whatever came of its delivery. */
  readonly lastFailure: WebhookFailure | null;
  readonly createdAt: Date;
}

/** Why a try failed. */
export type WebhookFailure = Pick<DeliveryTry, 'at' | 'status' | 'error'>;

/** What came of the newest deliveries to a webhook. Those that were not tried yet, or are cancelled, do not count. */
export interface DeliveryCounts {
  readonly succeeded: number;
  /** Given up. */
  readonly failed: number;
  /** They have failed, and will be tried again. */
  readonly retrying: number;
}

/**
 * Whether a webhook is the operator's, since it asks for events about creators. They belong to no brand, so that for callers of one
 * brand such a webhook does not exist.
 */
export function isOperators({ events }: Pick<Webhook, 'events'>): boolean {
  return events.some(isAboutCreators);
}

/** Whether an event tells of creators' accounts, which belong to no brand. */
export function isAboutCreators(event: string): boolean {
  return (ACCOUNT_EVENT_NAMES as readonly string[]).includes(event);
}

/**
 * Returns true if a stored delivery must not be sent: the webhook does not ask for its event any more, and it is no test. Nor may a
 * test be sent that is about creators, if the webhook belongs to a brand by now. The brand may have set another URL.
 */
export function isWithheld(
  { events }: Pick<Webhook, 'events'>,
  { event, messageId }: Pick<Delivery, 'event' | 'messageId'>,
): boolean {
  const isTest = messageId.startsWith(TEST_MESSAGE) && !isAboutCreators(event);
  return !isTest && !(events as readonly string[]).includes(event);
}

/** A secret that was replaced. */
export interface PreviousSecret {
  readonly sealed: string;
  /** Until then requests are signed with it as well. */
  readonly validUntil: Date;
}

/** Every `DeliveryStatus`. */
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
/** `pending` until it succeeded, failed for good or was cancelled. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One try of a delivery. `status` is null for a subscriber: there is no HTTP. */
export interface DeliveryTry {
  readonly at: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of what the receiver answered, printable; absent if it sent no text. */
  readonly response?: string;
}

/** Where deliveries go: the id of a webhook, or the name of a subscriber in process. */
export type DeliveryTarget = number | string;

/** One event for one webhook or subscriber, with its latest tries. */
export interface Delivery {
  readonly id: number;
  /** Unique for a target. `sentMessageId` makes the `webhook-id` of it: the same for an event and each of its redeliveries. */
  readonly messageId: string;
  readonly target: DeliveryTarget;
  /** The brand of the webhook, or of the event. Null for a subscriber's events that are no brand's own. */
  readonly brandId: number | null;
  readonly attemptId: number | null;
  readonly event: string;
  /** The exact body that is signed and sent, every time the same. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly tries: readonly DeliveryTry[];
  readonly nextTryAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}
