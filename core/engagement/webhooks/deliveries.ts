/** The log of a webhook's deliveries, and test events. */
import { bytesToHex } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import type { Page, PageRequest } from '../../ports/paging.ts';
import type { DeliveryFilter } from '../../ports/webhook-store.ts';
import type { Needs } from '../use-case-parts.ts';
import { type SampleEvent, testEventBody } from './event-body.ts';
import { requireWebhook } from './manage-webhooks.ts';
import { TEST_MESSAGE } from './message-id.ts';
import { ACCOUNT_EVENT_NAMES, TEST_EVENT } from './outbox.ts';
import { type Delivery, isAboutCreators, type Webhook } from './webhook.ts';

export type DeliveriesDeps = Needs<'webhooks' | 'deliveries', 'wakeSender' | 'random' | 'clock'>;

/**
 * Newest first; for a brand without those about creators, which are from a time when the webhook was the operator's.
 * @throws DomainError `NOT_FOUND` unless the webhook belongs to the brand, and is not the operator's if a brand asks.
 */
export function listDeliveries(deps: Pick<DeliveriesDeps, 'storage'>) {
  return async (
    brandId: number,
    webhookId: number,
    page: PageRequest,
    filter?: DeliveryFilter,
    asBrand = false,
  ): Promise<Page<Delivery>> => {
    await requireWebhook(deps, brandId, webhookId, asBrand);
    return deps.storage.deliveries.list(webhookId, page, { ...filter, ...shownTo(asBrand) });
  };
}

const shownTo = (asBrand: boolean) => (asBrand ? { exceptEvents: ACCOUNT_EVENT_NAMES } : {});

/** Deliveries that one call replays, or some hundred more. */
const REPLAYED_AT_ONCE = 1_000;

/**
 * Sends again what was given up since a time, the oldest first: the same messages, with all their retries. Idempotent: what is
 * pending again is not failed. Returns how many deliveries it was, and how many are left for the next call.
 *
 * @throws DomainError `NOT_FOUND` as `listDeliveries`
 */
export function replayFailed({ storage, clock, wakeSender }: Omit<DeliveriesDeps, 'random'>) {
  return async (brandId: number, webhookId: number, failedSince: Date, asBrand = false) => {
    await requireWebhook({ storage }, brandId, webhookId, asBrand);
    const { deliveries } = storage;
    const which = { failedSince, ...shownTo(asBrand) };
    let replayed = 0;
    for (let some = 1; some > 0 && replayed < REPLAYED_AT_ONCE; replayed += some)
      some = await deliveries.replay(webhookId, which, clock.now());
    if (replayed > 0) wakeSender();
    const { total: left } = await deliveries.list(webhookId, { page: 1, limit: 1 }, which);
    return { replayed, left };
  };
}

/**
 * One delivery with the body that was sent. A webhook may have been the operator's before it was the brand's: the brand does not get
 * what was sent then.
 *
 * @throws DomainError `NOT_FOUND` unless the delivery went to this webhook, which belongs to the brand, and it is not about creators
 * if a brand asks.
 */
export function getDelivery(deps: Pick<DeliveriesDeps, 'storage'>) {
  return async (brandId: number, webhookId: number, deliveryId: number, asBrand = false): Promise<Delivery> => {
    await requireWebhook(deps, brandId, webhookId, asBrand);
    const delivery = await deps.storage.deliveries.find(deliveryId);
    if (delivery?.target === webhookId && !(asBrand && isAboutCreators(delivery.event))) return delivery;
    throw new DomainError('NOT_FOUND', `Webhook ${webhookId} has no delivery ${deliveryId}.`);
  };
}

/** Adds to each webhook how its deliveries go. */
export function readHealth(deps: Pick<DeliveriesDeps, 'storage'>) {
  return async <W extends Webhook>(webhooks: readonly W[]) => {
    const found = await deps.storage.deliveries.health(webhooks.map(({ id }) => id));
    return webhooks.map((webhook) => {
      const counts = found.get(webhook.id) ?? { succeeded: 0, failed: 0, retrying: 0 };
      const tried = counts.succeeded + counts.failed + counts.retrying;
      const successRate = tried === 0 ? null : Math.round((100 * counts.succeeded) / tried) / 100;
      return { ...webhook, health: { successRate, ...counts, lastFailure: webhook.lastFailure } };
    });
  };
}

/**
 * Stores a `webhook.test` event, or a sample of another one, for one webhook, whatever events it wants. It is signed and recorded like any other, but
 * tried only once, so that the log soon shows how it went.
 *
 * @throws DomainError `NOT_FOUND`, or `CONFLICT` when the webhook is paused.
 */
export function sendTestEvent(deps: DeliveriesDeps) {
  return async (brandId: number, webhookId: number, asBrand = false, sample?: SampleEvent): Promise<Delivery> => {
    const webhook = await requireWebhook(deps, brandId, webhookId, asBrand);
    if (!webhook.active) {
      throw new DomainError('CONFLICT', `Webhook ${webhookId} is paused; set "active" to true before testing it.`);
    }
    const now = deps.clock.now();
    const [stored] = await deps.storage.deliveries.createMany([
      {
        messageId: `${TEST_MESSAGE}${bytesToHex(deps.random.bytes(16))}`,
        target: webhookId,
        brandId,
        attemptId: null,
        event: sample?.event ?? TEST_EVENT,
        body: testEventBody(webhook, now, sample),
        status: 'pending',
        tries: [],
        nextTryAt: now,
        createdAt: now,
        finishedAt: null,
      },
    ]);
    if (stored === undefined) throw new DomainError('NOT_FOUND', `Webhook ${webhookId} was deleted meanwhile.`);
    deps.wakeSender();
    return stored;
  };
}
