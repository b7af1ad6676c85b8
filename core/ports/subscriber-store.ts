import type { EventName } from '../engagement/webhooks/outbox.ts';
import type { SubscriberDelivery, Subscription } from '../engagement/webhooks/subscriber.ts';
import type { DeliveryTry } from '../engagement/webhooks/webhook.ts';
import type { Page, PageRequest } from './paging.ts';
import type { DeliveryFilter } from './webhook-store.ts';

/** A delivery that one process holds under a lease. */
export interface ClaimedDelivery extends SubscriberDelivery {
  /** The fence: grows with every claim and with its end; a write with an older one changes nothing. */
  readonly lease: number;
}

/** Which deliveries of a subscriber are listed: of a brand's events, with a status, of an event, or all of these. */
export interface SubscriberDeliveryFilter extends DeliveryFilter {
  readonly brandId?: number | undefined;
}

/**
 * Subscriptions of the host's own code, and their deliveries. A delivery is its own job: `nextTryAt` is when it may be claimed,
 * which while it is claimed is the end of the lease.
 */
export interface SubscriberStore {
  /** Stores the subscriptions that are new by subscriber and event; a stored one keeps its brand. Safe against concurrent calls. */
  subscribe(subscriptions: readonly Subscription[]): Promise<void>;
  /** All of them, by subscriber and event. */
  list(): Promise<readonly Subscription[]>;
  /**
   * Removes the subscriber's subscriptions and cancels its pending deliveries; the log stays. False when there are none. A
   * `createDeliveries` at the same time leaves nothing pending. Cancels some hundred at a time: a call that fails leaves the
   * rest, and repeating it completes it.
   */
  unsubscribe(subscriber: string, now: Date): Promise<boolean>;
  /** Stores deliveries that are new by (messageId, subscriber), if their subscriber still has a subscription. */
  createDeliveries(deliveries: readonly Omit<SubscriberDelivery, 'id'>[]): Promise<void>;
  /**
   * Claims up to `limit` pending deliveries of these events until `leaseUntil`: those whose `nextTryAt` has come, the longest
   * wait first. Reads nothing of other events, of which many may wait. A delivery goes to exactly one of concurrent callers.
   */
  claim(
    wanted: { readonly subscriber: string; readonly events: readonly EventName[] },
    limit: number,
    now: Date,
    leaseUntil: Date,
  ): Promise<readonly ClaimedDelivery[]>;
  /** Lengthens leases; returns the ids whose fence still held. */
  extend(claimed: readonly ClaimedDelivery[], leaseUntil: Date): Promise<readonly number[]>;
  /** Appends a try, sets the outcome and ends the lease, if the fence holds; false otherwise. Tries kept: the last 20. */
  recordTry(
    claimed: ClaimedDelivery,
    one: DeliveryTry,
    outcome: {
      readonly status: SubscriberDelivery['status'];
      readonly nextTryAt: Date | null;
      readonly finishedAt: Date | null;
    },
  ): Promise<boolean>;
  /** Ends the lease without a try, if the fence holds; the delivery may be claimed from `at` on. */
  release(claimed: ClaimedDelivery, at: Date): Promise<boolean>;
  /**
   * Events of which a subscriber has pending deliveries that could have been claimed before `before`, by subscriber. Looks at one
   * delivery of each, however many wait.
   */
  neglected(before: Date): Promise<readonly { readonly subscriber: string; readonly event: EventName }[]>;
  /** Newest first. `total` counts what the filter leaves. */
  listBySubscriber(
    subscriber: string,
    page: PageRequest,
    filter?: SubscriberDeliveryFilter,
  ): Promise<Page<SubscriberDelivery>>;
}
