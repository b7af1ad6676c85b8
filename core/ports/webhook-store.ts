import type { EventName } from '../engagement/webhooks/outbox.ts';
import type {
  Delivery,
  DeliveryCounts,
  DeliveryStatus,
  DeliveryTarget,
  DeliveryTry,
  Webhook,
  WebhookFailure,
} from '../engagement/webhooks/webhook.ts';
import type { Page, PageRequest } from './paging.ts';
import type { SeriesCount, SeriesRange } from './series.ts';

/** Which webhooks are listed; all of them by default. */
export interface WebhookFilter {
  readonly brandId?: number;
  /** Only active ones that want this event. */
  readonly subscribedTo?: EventName;
  /** Only the one with the highest id. */
  readonly newest?: true;
}

/** What `WebhookStore.update` changes. */
export interface WebhookChanges extends Partial<Pick<Webhook, 'url' | 'events' | 'active' | 'description'>> {
  /**
   * Takes the place of the stored secret, which becomes `previousSecret` until `previousUntil`; an older one is forgotten. Of two
   * calls at once, the second keeps the secret of the first.
   */
  readonly secret?: { readonly sealed: string; readonly previousUntil: Date };
}

/** Which webhook, and what it is known to have. */
export type SeenWebhook = Pick<Webhook, 'id'> & Partial<Pick<Webhook, 'brandId' | 'url' | 'activations'>>;

/** Webhooks of brands. */
export interface WebhookStore {
  /** With no activations, no previous secret and no failure yet. */
  create(webhook: Omit<Webhook, 'id' | 'activations' | 'previousSecret' | 'lastFailure'>): Promise<Webhook>;
  /** Null if there is no such webhook, or if it belongs to another brand than `brandId`. */
  find(id: number, brandId?: number): Promise<Webhook | null>;
  /** By id. */
  list(filter: WebhookFilter): Promise<readonly Webhook[]>;
  /**
   * Changes the webhook, if it still is as `seen`. Null if it is not, or if it asks for one of `unlessAsking` at that moment.
   * `active: true` counts as an activation, also of an active one.
   */
  update(seen: SeenWebhook, changes: WebhookChanges, unlessAsking?: readonly EventName[]): Promise<Webhook | null>;
  /**
   * Removes the webhook and the log of its deliveries. False when it is not there. Once the webhook is gone, what a failure
   * leaves of the log is removed by the next `Storage.open`, or as `leftovers`.
   */
  delete(brandId: number, id: number): Promise<boolean>;
  /** Moves `lastTriggeredAt` forward, never back; a failure takes the place of an earlier one. */
  markTriggered(id: number, at: Date, failure?: WebhookFailure | null): Promise<void>;
}

/** Which deliveries of a target are meant: with a status, of an event, of a brand, or all of these. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly event?: string | undefined;
  readonly brandId?: number | undefined;
  /** Those that were given up from this time on. */
  readonly failedSince?: Date | undefined;
  /** Those of these events are left out. */
  readonly exceptEvents?: readonly string[] | undefined;
}

/** Of so many of its deliveries, the newest, the health of a webhook is told. */
export const HEALTH_OF = 100;

/** Tries that are kept of each delivery: the last ones. */
export const KEPT_TRIES = 20;

/** A delivery that one process holds under a lease. Until it ends, `nextTryAt` is the end of the lease. */
export interface LeasedDelivery extends Delivery {
  /** The fence: grows with every claim. */
  readonly lease: number;
  /** When it was last replayed: the schedule of its retries starts again. */
  readonly replayedAt?: Date;
}

/** How many deliveries a claim brings at most. */
export interface ClaimLimits {
  readonly total: number;
  /** Of a target that is not in `of`. */
  readonly each: number;
  readonly of: ReadonlyMap<DeliveryTarget, number>;
  /** The events that the process handles, by subscriber. What waits for other subscribers, or of other events, is left alone. */
  readonly handled?: ReadonlyMap<string, readonly EventName[]>;
}

/** Deliveries of events, and their tries. Those that are due are claimed under a lease: the table is their queue. */
export interface DeliveryStore {
  /**
   * Stores deliveries that are new by (messageId, target); those already there stay as they are. Returns the stored ones
   * in input order, so that a repeated dispatch finds its earlier deliveries again. Leaves out those of webhooks that are
   * gone and of subscribers without a subscription: of a deletion at the same time, nothing stays pending.
   */
  createMany(deliveries: readonly Omit<Delivery, 'id'>[]): Promise<readonly Delivery[]>;
  /** Null if there is no such delivery. */
  find(id: number): Promise<Delivery | null>;
  /** Appends a try and sets the outcome, if the delivery is still `pending`; false otherwise. Keeps the last `KEPT_TRIES`. */
  recordTry(
    id: number,
    attempt: DeliveryTry,
    outcome: { readonly status: Delivery['status']; readonly nextTryAt: Date | null; readonly finishedAt: Date | null },
  ): Promise<boolean>;
  /**
   * Sets every pending delivery of the target to `cancelled`, without a try; returns how many. Some hundred at a time: a call
   * that fails leaves the rest pending, and repeating it completes it. For targets that are gone.
   */
  cancelPending(target: DeliveryTarget, now: Date): Promise<number>;
  /**
   * Claims pending deliveries of active webhooks, and of subscribers what the process handles, until `leaseUntil`: those whose
   * `nextTryAt` has come, the longest wait first. What waits for a target that has no room, or is paused, holds no other up and is not
   * read. Each goes to one of concurrent callers.
   */
  claim(limits: ClaimLimits, now: Date, leaseUntil: Date): Promise<readonly LeasedDelivery[]>;
  /** Sets the end of leases; returns the ids whose fence still held. The end may be `now`: then they are given back. */
  extend(leased: readonly Pick<LeasedDelivery, 'id' | 'lease'>[], leaseUntil: Date): Promise<readonly number[]>;
  /**
   * Lets deliveries that are pending until later than `now` wait `byMs` less: they were stored before the clock was set back, or their
   * webhook is active again. With `target` only the deliveries for it.
   */
  afterSetBack(now: Date, byMs: number, target?: DeliveryTarget): Promise<void>;
  /** Of all targets, newest first: those whose message id begins with a text (redeliveries too), or about these attempts. */
  search(
    which: { readonly messageId: string } | { readonly attemptIds: readonly number[] },
    limit: number,
  ): Promise<readonly Delivery[]>;
  /**
   * Makes deliveries to a webhook that failed pending again, due at once; returns how many. Some hundred at a time, those that failed
   * first: repeat it until it returns 0. Each is replayed by one of concurrent callers.
   */
  replay(webhookId: number, which: Pick<DeliveryFilter, 'failedSince' | 'exceptEvents'>, now: Date): Promise<number>;
  /** What came of the newest `HEALTH_OF` deliveries to each of the webhooks; one without any may be left out. */
  health(webhookIds: readonly number[]): Promise<ReadonlyMap<number, DeliveryCounts>>;
  /** Newest first. `total` counts what the filter leaves. */
  list(target: DeliveryTarget, page: PageRequest, filter?: DeliveryFilter): Promise<Page<Delivery>>;
  /** Counts the deliveries made in a range by the status that they have now. */
  series(
    target: DeliveryTarget,
    range: SeriesRange,
    filter?: Pick<DeliveryFilter, 'exceptEvents'>,
  ): Promise<readonly SeriesCount[]>;
}
