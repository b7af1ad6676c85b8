/** Subscribers in the host's own process, and what they are called with. */
import { sentMessageId } from './message-id.ts';
import {
  type AccountEventData,
  type AccountEventName,
  type AttemptEventName,
  type BrandEventData,
  type BrandEventName,
  EVENT_NAMES,
  type EventName,
  type PlatformEventData,
  type PlatformEventName,
  type WebhookEvent,
  type WebhookEventData,
} from './outbox.ts';

/** One event, or all of them, those of later releases too. */
export type EventPattern = EventName | '*';

/** A subscriber's name and an event that it wants. Stored, so that events wait for a subscriber whose process is down. */
export interface Subscription {
  readonly subscriber: string;
  readonly event: EventPattern;
  /** Absent: the events of all brands. */
  readonly brandId?: number;
}

type CommonData = Omit<WebhookEventData, 'commentText' | 'points' | 'reason' | 'removal'>;

interface EventData
  extends Record<PlatformEventName, PlatformEventData>,
    Record<AccountEventName, AccountEventData>,
    Record<BrandEventName, BrandEventData> {
  /** Absent on like challenges and after a forced verification. */
  readonly 'creator.verified': CommonData & Pick<WebhookEventData, 'commentText'>;
  readonly 'reward.issued': CommonData & { readonly points: number };
  /** `retryable`: the creator may claim again. */
  readonly 'verification.failed': CommonData & { readonly reason: 'retryable' | 'terminal' };
  readonly 'engagement.removed': CommonData & { readonly commentText: string; readonly removal: 'removed' | 'hidden' };
  /** So many were taken back. */
  readonly 'reward.reversed': CommonData & { readonly points: number };
}

/** An event as a subscriber gets it. */
export type SubscriberEvent<E extends EventPattern = '*'> = {
  readonly [N in EventName]: {
    readonly event: N;
    /** When it happened. */
    readonly timestamp: Date;
    /** Null for events of accounts and platforms, which are no brand's own. */
    readonly brandId: N extends AttemptEventName | BrandEventName ? number : null;
    readonly data: EventData[N];
    /** The same on every delivery and redelivery of this event, and the `webhook-id` of webhooks. Remember it to ignore repetitions. */
    readonly messageId: string;
    /** 1 on the first delivery. A delivery whose process died is repeated under the same number. */
    readonly deliveryAttempt: number;
  };
}[E extends EventName ? E : EventName];

/** What a handler is given besides the event. */
export interface SubscriberContext {
  /** Aborted when the handler takes too long, the instance stops or another process has taken the event over. */
  readonly signal: AbortSignal;
}

/** Handles one event. What it throws is logged, and the event is delivered again later. */
export type SubscriberHandler<E extends EventPattern = '*'> = (
  event: SubscriberEvent<E>,
  context: SubscriberContext,
) => unknown;

/** Whether somebody who asked for `pattern` gets this event. */
export function wants(pattern: EventPattern, event: EventName): boolean {
  return pattern === '*' || pattern === event;
}

/** Whether a subscription is for this event of this brand; those of a brand get no event that is no brand's own. */
export function isFor(
  one: Subscription,
  { event, brandId }: { readonly event: EventName; readonly brandId: number | null },
): boolean {
  return wants(one.event, event) && (one.brandId === undefined || one.brandId === brandId);
}

/** The events of a pattern. */
export function eventsOf(pattern: EventPattern): readonly EventName[] {
  return pattern === '*' ? EVENT_NAMES : [pattern];
}

/** The event of a delivery, for its handler. */
export function subscriberEvent(event: WebhookEvent, messageId: string, deliveryAttempt: number): SubscriberEvent {
  // Sound: `attemptEvent` makes the data that belongs to each name.
  return { ...event, messageId: sentMessageId(messageId), deliveryAttempt } as SubscriberEvent;
}
