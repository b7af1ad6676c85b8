/** The deliveries to webhooks, for a `DeliveryLoop`: which may be sent, and what is stored of each try. */
import { monotonicMs } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import type { LeasedDelivery } from '../../ports/webhook-store.ts';
import type { Held } from './delivery-line.ts';
import type { DeliverySource } from './delivery-loop.ts';
import { createDeliveryTries, type DeliveryTriesDeps, type EndedTry } from './delivery-tries.ts';
import { isWithheld, type Webhook } from './webhook.ts';
import { withhold } from './withhold.ts';

/** Claims that ended without a try. More mean that the delivery takes its process down. */
export const MAX_UNFINISHED = 20;

/** `lastTriggeredAt` of a webhook is as exact as this. */
const MARK_EVERY_MS = 1_000;
const MOST_MARKED = 10_000;

export interface DeliverWebhookDeps extends DeliveryTriesDeps {
  readonly storage: Pick<Storage, 'webhooks' | 'deliveries'>;
}

/**
 * One try of each delivery, recorded (docs/specification/engagement.md#delivery-rules). One that is repeated after a crash sends the
 * same message again, with the same `webhook-id`. It never records a try for a delivery that is over.
 */
export function webhookDeliveries(deps: DeliverWebhookDeps): DeliverySource<number, LeasedDelivery> {
  const { storage, clock, logger } = deps;
  const { webhooks, deliveries } = storage;
  const tries = createDeliveryTries(deps);

  /** The time of the last mark of each webhook, of `monotonicMs`. */
  const marked = new Map<number, number>();

  /** Whether the webhook was not marked in this second: a busy one is written once for many tries. */
  function isNew(webhookId: number): boolean {
    const now = monotonicMs(clock);
    if (now - (marked.get(webhookId) ?? Number.NEGATIVE_INFINITY) < MARK_EVERY_MS) return false;
    if (marked.size >= MOST_MARKED) marked.clear();
    marked.set(webhookId, now);
    return true;
  }

  /** Its claims were not seen to end, so that it would be claimed forever. */
  async function giveUp({ id, webhookId, attemptId, event }: LeasedDelivery, now: Date): Promise<null> {
    const error = 'Dead-lettered: delivering broke down again and again; see the log.';
    const failed = { status: 'failed', nextTryAt: null, finishedAt: now } as const;
    await deliveries.recordTry(id, { at: now, durationMs: 0, status: null, error }, failed);
    logger.error({ deliveryId: id, webhookId, attemptId, event }, 'webhook delivery dead-lettered');
    return null;
  }

  async function record(held: Held<LeasedDelivery>, webhook: Webhook, ended: EndedTry): Promise<Date | null> {
    const { id, webhookId, event } = held.delivery;
    // Side by side: a storage that writes what comes together in one go writes both at once.
    const [recorded] = await Promise.all([
      deliveries.recordTry(id, ended.record, ended.state),
      isNew(webhookId) ? webhooks.markTriggered(webhookId, ended.record.at) : undefined,
    ]);
    if (!recorded) logger.warn({ deliveryId: id }, 'a delivery ended after its lease was lost');
    await tries.conclude(ended, webhook, { deliveryId: id, webhookId, event });
    return recorded ? ended.state.nextTryAt : null;
  }

  return {
    targetOf: ({ webhookId }) => webhookId,
    claim: (limits, now, leaseUntil) => deliveries.claim(limits, now, leaseUntil),
    extend: (held, leaseUntil) => deliveries.extend(held, leaseUntil),
    afterSetBack: (now, byMs) => deliveries.afterSetBack(now, byMs),
    async send(held) {
      const { delivery } = held;
      const webhook = await webhooks.find(delivery.webhookId);
      const now = clock.now();
      if (webhook === null) return () => deliveries.cancelPending(delivery.webhookId, now).then(() => null);
      if (isWithheld(webhook, delivery)) return () => withhold(storage, delivery, now).then(() => null);
      // Paused since it was claimed: it stays pending until the webhook is activated.
      if (!webhook.active) return () => deliveries.extend([delivery], now).then(() => null);
      if (delivery.lease - delivery.tries.length > MAX_UNFINISHED) return () => giveUp(delivery, now);
      const ended = await tries.make(delivery, webhook, now, held.signal);
      return () => record(held, webhook, ended);
    },
  };
}
