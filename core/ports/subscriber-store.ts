import type { Subscription } from '../engagement/webhooks/subscriber.ts';

/** Subscriptions of the host's own code. Their deliveries are in `DeliveryStore`. */
export interface SubscriberStore {
  /** Stores the subscriptions that are new by subscriber and event; a stored one keeps its brand. Safe against concurrent calls. */
  subscribe(subscriptions: readonly Subscription[]): Promise<void>;
  /** All of them, by subscriber and event. */
  list(): Promise<readonly Subscription[]>;
  /** Removes the subscriber's subscriptions. False when there are none. */
  unsubscribe(subscriber: string): Promise<boolean>;
}
