/** One try of one delivery, and what follows from its outcome (docs/specification/engagement.md#delivery-rules). */
import {
  CLOCKS_DIFFER_MS,
  type JobContext,
  type JobFailure,
  type JobPayloads,
  RescheduleError,
} from '../../ports/job-queue.ts';
import type { Storage } from '../../ports/storage.ts';
import type { DeliveryGate } from './delivery-gate.ts';
import { createDeliveryTries, type DeliveryTriesDeps, type EndedTry, isAsBefore, targetOf } from './delivery-tries.ts';
import { type Delivery, isWithheld } from './webhook.ts';
import { withhold } from './withhold.ts';

export interface DeliverWebhookDeps extends DeliveryTriesDeps {
  readonly storage: Pick<Storage, 'webhooks' | 'deliveries'>;
  readonly gate: Pick<DeliveryGate, 'enter'>;
}

/**
 * Handles a `deliver-webhook` job: one try, recorded; then `RescheduleError` for the next one. A run that is repeated after a
 * crash may send the same message again (same `webhook-id`). It never records a try for a delivery that is over.
 */
export function deliverWebhook(deps: DeliverWebhookDeps) {
  const { storage, clock } = deps;
  const tries = createDeliveryTries(deps);
  return async (
    { deliveryId }: JobPayloads['deliver-webhook'],
    context: Pick<JobContext, 'signal' | 'inHand' | 'leaveSlot'>,
  ): Promise<void> => {
    // Sound because deliveryJob puts nothing else there.
    const inHand = context.inHand as Delivery | undefined;
    const delivery = inHand ?? (await storage.deliveries.find(deliveryId));
    if (delivery === null || delivery.status !== 'pending') return;
    const webhook = await storage.webhooks.findById(delivery.webhookId);
    const now = clock.now();
    if (webhook === null) {
      await storage.deliveries.cancelPending(delivery.webhookId, now);
      return;
    }
    if (isWithheld(webhook, delivery)) return withhold(storage, delivery, now);
    // Paused: the delivery stays pending and gets another job when the webhook is activated.
    if (!webhook.active) return;
    // The process may have died between recording a try and putting the job off.
    if (delivery.nextTryAt !== null && delivery.nextTryAt > now && !isFromAhead(delivery, now)) {
      throw new RescheduleError(delivery.nextTryAt, 'not yet');
    }
    const pass = await deps.gate.enter(targetOf(webhook));
    if (pass.kind === 'full') throw new RescheduleError(pass.at, 'the receiver is busy', pass.roomAt);
    const startedAt = clock.now();
    let ended: EndedTry;
    try {
      if (pass.hasWaited && !isAsBefore(await storage.webhooks.findById(webhook.id), webhook))
        throw new RescheduleError(startedAt, 'the webhook has changed');
      ended = await tries.make(delivery, webhook, startedAt, context.signal);
    } finally {
      pass.leave();
    }
    context.leaveSlot?.();
    // Side by side: a storage that writes what comes together in one go writes both at once.
    const [recorded] = await Promise.all([
      storage.deliveries.recordTry(delivery.id, ended.record, ended.state),
      tries.markTriggered(webhook.id, startedAt),
    ]);
    await tries.conclude(ended, webhook, { deliveryId: delivery.id, webhookId: webhook.id, event: delivery.event });
    const { nextTryAt } = ended.state;
    if (recorded && nextTryAt !== null) throw new RescheduleError(nextTryAt, 'the receiver did not take it');
  };
}

/** Whether the clock was set back since the next try was planned: it says nothing then. */
function isFromAhead({ tries, createdAt }: Delivery, now: Date): boolean {
  return (tries.at(-1)?.at ?? createdAt).getTime() > now.getTime() + CLOCKS_DIFFER_MS;
}

/**
 * Concludes a delivery whose job will not run again: it has failed, and its log says why. The events of its attempt can
 * be sent again (`redeliver-webhooks`). A delivery that is over is left alone.
 */
export function failDelivery(deps: Pick<DeliverWebhookDeps, 'storage' | 'clock' | 'logger'>) {
  return async ({ deliveryId }: JobPayloads['deliver-webhook'], { error }: JobFailure): Promise<void> => {
    const delivery = await deps.storage.deliveries.find(deliveryId);
    if (delivery === null || delivery.status !== 'pending') return;
    const now = deps.clock.now();
    await deps.storage.deliveries.recordTry(
      deliveryId,
      // The text of a defect is for the log only.
      {
        at: now,
        durationMs: 0,
        status: null,
        error: 'Dead-lettered: delivering broke down again and again; see the log.',
      },
      { status: 'failed', nextTryAt: null, finishedAt: now },
    );
    const { webhookId, attemptId, event } = delivery;
    deps.logger.error({ deliveryId, webhookId, attemptId, event, error }, 'webhook delivery dead-lettered');
  };
}
