/** One try of one delivery, and what follows from its outcome (docs/specification/engagement.md#delivery-rules). */
import { remembered } from '../../keep-newest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HmacSha256 } from '../../ports/hmac.ts';
import { type JobContext, type JobFailure, type JobPayloads, RescheduleError } from '../../ports/job-queue.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { Storage } from '../../ports/storage.ts';
import type { WebhookStore } from '../../ports/webhook-store.ts';
import type { WebhookOutcome, WebhookTransport } from '../../ports/webhook-transport.ts';
import type { DeliveryGate } from './delivery-gate.ts';
import { TEST_EVENT } from './outbox.ts';
import { nextTryAt, RETRY_DELAYS_MS } from './retry-schedule.ts';
import { type WebhookSigner, webhookHeaders } from './signature.ts';
import { createTriggerMarks } from './trigger-marks.ts';
import type { Delivery, Webhook } from './webhook.ts';
import { createWebhookSigners } from './webhook-signers.ts';

/** The receiver answers within 10 seconds (docs/specification/engagement.md#delivery-rules). */
export const RECEIVER_TIMEOUT_MS = 10_000;

export interface DeliverWebhookDeps {
  readonly storage: Pick<Storage, 'webhooks' | 'deliveries'>;
  readonly transport: WebhookTransport;
  readonly secretBox: SecretBox;
  readonly gate: DeliveryGate;
  /** Signs; in JavaScript by default. */
  readonly hmac?: HmacSha256;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Waits between tries in milliseconds, `RETRY_DELAYS_MS` by default; one try more than there are waits. */
  readonly retryDelays?: readonly number[];
  /** Uniform in [0, 1); spreads the waits. */
  readonly jitter?: () => number;
  readonly timeoutMs?: number;
}

/**
 * Handles a `deliver-webhook` job: one try, recorded; then `RescheduleError` for the next one. A run that is repeated after a
 * crash may send the same message again (same `webhook-id`). It never records a try for a delivery that is over.
 */
export function deliverWebhook(deps: DeliverWebhookDeps) {
  const signerOf = createWebhookSigners(deps.secretBox, deps.hmac);
  const markTriggered = createTriggerMarks(deps.storage.webhooks);
  return async (
    { deliveryId }: JobPayloads['deliver-webhook'],
    context: Pick<JobContext, 'signal' | 'inHand' | 'leaveSlot'>,
  ): Promise<void> => {
    // Sound because deliveryJob puts nothing else there.
    const inHand = context.inHand as Delivery | undefined;
    const delivery = inHand ?? (await deps.storage.deliveries.find(deliveryId));
    if (delivery === null || delivery.status !== 'pending') return;
    const webhook = await deps.storage.webhooks.findById(delivery.webhookId);
    const now = deps.clock.now();
    if (webhook === null) {
      await deps.storage.deliveries.cancelPending(delivery.webhookId, now);
      return;
    }
    // Paused: the delivery stays pending and gets another job when the webhook is activated.
    if (!webhook.active) return;
    // The process may have died between recording a try and putting the job off.
    if (delivery.nextTryAt !== null && delivery.nextTryAt > now)
      throw new RescheduleError(delivery.nextTryAt, 'not yet');
    const pass = await deps.gate.enter({
      webhookId: webhook.id,
      brandId: webhook.brandId,
      host: hostOf(webhook.url),
    });
    if (pass.kind === 'full') throw new RescheduleError(pass.at, 'the receiver is busy', pass.roomAt);
    const startedAt = deps.clock.now();
    let outcome: WebhookOutcome;
    try {
      if (pass.hasWaited && !(await isAsBefore(deps.storage.webhooks, webhook)))
        throw new RescheduleError(startedAt, 'the webhook has changed');
      outcome = await send(deps, signerOf, delivery, webhook, startedAt, context.signal);
    } finally {
      pass.leave();
    }
    // The process is stopping, which says nothing about the receiver: this try does not count.
    if (outcome.kind === 'failed' && context.signal.aborted) throw context.signal.reason;
    context.leaveSlot?.();
    await conclude({ ...deps, markTriggered }, delivery, webhook, startedAt, outcome);
  };
}

/** Whether a webhook is to be sent to as when it was read. It may be paused, gone, moved or rotated by now. */
async function isAsBefore(webhooks: Pick<WebhookStore, 'findById'>, seen: Webhook): Promise<boolean> {
  const now = await webhooks.findById(seen.id);
  return now?.active === true && now.url === seen.url && lastRotation(now) === lastRotation(seen);
}

/** A number that each rotation of the secret moves. */
function lastRotation({ previousSecret }: Webhook): number | undefined {
  return previousSecret?.validUntil.getTime();
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

async function send(
  deps: DeliverWebhookDeps,
  signerOf: (sealedSecret: string) => WebhookSigner,
  delivery: Delivery,
  webhook: Webhook,
  at: Date,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  let signer: WebhookSigner;
  try {
    signer = signerOf(webhook.sealedSecret);
  } catch (error) {
    deps.logger.error({ webhookId: webhook.id, err: error }, 'the secret of a webhook cannot be opened');
    return {
      kind: 'failed',
      reason: 'protocol',
      message: 'The secret of this webhook cannot be opened. Rotate it.',
    };
  }
  const previousSigner = previousSignerOf(deps, signerOf, webhook, at);
  const { messageId, event, body } = delivery;
  return deps.transport.send({
    url: webhook.url,
    headers: webhookHeaders({ signer, previousSigner, messageId, at, event, body }),
    body,
    deadlineMs: deps.timeoutMs ?? RECEIVER_TIMEOUT_MS,
    signal,
  });
}

/** Of the secret before the rotation while it signs. If it cannot be opened, the new one signs alone. */
function previousSignerOf(
  deps: Pick<DeliverWebhookDeps, 'logger'>,
  signerOf: (sealedSecret: string) => WebhookSigner,
  { id, previousSecret: previous }: Webhook,
  at: Date,
): WebhookSigner | undefined {
  if (previous === null || at >= previous.validUntil) return undefined;
  try {
    return signerOf(previous.sealed);
  } catch (err) {
    deps.logger.warn(
      { webhookId: id, err },
      'the previous secret of a webhook cannot be opened; the new one signs alone',
    );
    return undefined;
  }
}

async function conclude(
  deps: DeliverWebhookDeps & { readonly markTriggered: ReturnType<typeof createTriggerMarks> },
  delivery: Delivery,
  webhook: Webhook,
  startedAt: Date,
  outcome: WebhookOutcome,
): Promise<void> {
  const now = deps.clock.now();
  const succeeded = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299;
  const next = succeeded ? null : retryAt(deps, delivery, outcome, now);
  const status = succeeded ? 'succeeded' : next === null ? 'failed' : 'pending';
  // Side by side: a storage that writes what comes together in one go writes both at once.
  const [recorded] = await Promise.all([
    deps.storage.deliveries.recordTry(
      delivery.id,
      {
        at: startedAt,
        durationMs: Math.max(0, now.getTime() - startedAt.getTime()),
        status: outcome.kind === 'answered' ? outcome.status : null,
        error: succeeded ? null : errorText(outcome),
      },
      { status, nextTryAt: next, finishedAt: next === null ? now : null },
    ),
    deps.markTriggered(webhook.id, startedAt),
  ]);
  const facts = { deliveryId: delivery.id, webhookId: webhook.id, event: delivery.event, status };
  deps.logger.debug(facts, 'webhook try');
  if (isGone(outcome)) {
    // The receiver says that it is gone for good: nothing more is sent until somebody activates the webhook again. A webhook
    // that has a new receiver meanwhile, or was activated again, continues, with this delivery at once.
    if (await deps.storage.webhooks.pause(webhook)) {
      deps.logger.warn(facts, 'webhook paused: the receiver answered 410');
    }
  } else if (status === 'failed') {
    deps.logger.warn(facts, 'webhook delivery failed permanently');
  }
  if (recorded && next !== null) throw new RescheduleError(next, 'the receiver did not take it');
}

function retryAt(deps: DeliverWebhookDeps, delivery: Delivery, outcome: WebhookOutcome, now: Date): Date | null {
  // A user who presses "test" wants to see the outcome now.
  if (delivery.event === TEST_EVENT) return null;
  // Due as soon as the webhook is activated, however often it was tried.
  if (isGone(outcome)) return now;
  return nextTryAt({
    tries: delivery.tries.length + 1,
    now,
    retryAfter: outcome.kind === 'answered' ? outcome.retryAfter : null,
    delays: deps.retryDelays ?? RETRY_DELAYS_MS,
    random: deps.jitter ?? Math.random,
  });
}

function isGone(outcome: WebhookOutcome): boolean {
  return outcome.kind === 'answered' && outcome.status === 410;
}

function errorText(outcome: WebhookOutcome): string {
  return outcome.kind === 'answered' ? `The receiver answered ${outcome.status}.` : outcome.message.slice(0, 300);
}

/** Reading a URL takes longer than finding it again. */
const MAX_HOSTS = 1_000;
const hostOf = remembered((url: string) => new URL(url).host, MAX_HOSTS);
