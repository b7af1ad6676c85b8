/** One request to a receiver, and what its outcome means (docs/specification/engagement.md#delivery-rules). */
import { type Clock, monotonicMs } from '../../ports/clock.ts';
import type { HmacSha256 } from '../../ports/hmac.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { Storage } from '../../ports/storage.ts';
import type { WebhookOutcome, WebhookTransport } from '../../ports/webhook-transport.ts';
import { sentMessageId } from './message-id.ts';
import { TEST_EVENT } from './outbox.ts';
import { nextTryAt, RETRY_DELAYS_MS } from './retry-schedule.ts';
import { type WebhookSigner, webhookHeaders } from './signature.ts';
import type { Delivery, DeliveryTry, Webhook } from './webhook.ts';
import { createWebhookSigners } from './webhook-signers.ts';

/** The receiver answers within 10 seconds (docs/specification/engagement.md#delivery-rules). */
export const RECEIVER_TIMEOUT_MS = 10_000;

export interface DeliveryTriesDeps {
  readonly storage: Pick<Storage, 'webhooks'>;
  readonly transport: WebhookTransport;
  readonly secretBox: SecretBox;
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

/** A try that is over, and what becomes of its delivery. */
export interface EndedTry {
  readonly outcome: WebhookOutcome;
  readonly record: DeliveryTry;
  readonly state: Pick<Delivery, 'status' | 'nextTryAt' | 'finishedAt'>;
}

export interface DeliveryTries {
  /**
   * Signs, sends and judges the answer.
   * @throws the signal's reason if it cut the request short: that says nothing about the receiver, and the try does not count
   */
  make(delivery: Omit<Delivery, 'id'>, webhook: Webhook, startedAt: Date, signal: AbortSignal): Promise<EndedTry>;
  /** Logs a recorded try, and pauses the webhook if its receiver is gone for good. `facts` are for the log. */
  conclude(ended: EndedTry, webhook: Webhook, facts: object): Promise<void>;
}

export function createDeliveryTries(deps: DeliveryTriesDeps): DeliveryTries {
  const { storage, transport, clock, logger, timeoutMs = RECEIVER_TIMEOUT_MS } = deps;
  const signerOf = createWebhookSigners(deps.secretBox, deps.hmac);

  async function send(
    { messageId: storedId, event, body }: Omit<Delivery, 'id'>,
    webhook: Webhook,
    at: Date,
    signal: AbortSignal,
  ): Promise<WebhookOutcome> {
    let signer: WebhookSigner;
    try {
      signer = signerOf(webhook.sealedSecret);
    } catch (error) {
      logger.error({ webhookId: webhook.id, err: error }, 'the secret of a webhook cannot be opened');
      return {
        kind: 'failed',
        reason: 'protocol',
        message: 'The secret of this webhook cannot be opened. Rotate it.',
      };
    }
    const previousSigner = previousSignerOf(webhook, at);
    const messageId = sentMessageId(storedId);
    const headers = webhookHeaders({ signer, previousSigner, messageId, at, event, body });
    try {
      return await transport.send({ url: webhook.url, headers, body, deadlineMs: timeoutMs, signal });
    } catch (err) {
      // A defect, of a transport of the host's own for example: a try like any other, so that it is not repeated forever.
      logger.error({ webhookId: webhook.id, err }, 'a webhook transport threw');
      return { kind: 'failed', reason: 'protocol', message: 'Sending failed; the log says why.' };
    }
  }

  /** Of the secret before the rotation while it signs. If it cannot be opened, the new one signs alone. */
  function previousSignerOf({ id, previousSecret: previous }: Webhook, at: Date): WebhookSigner | undefined {
    if (previous === null || at >= previous.validUntil) return undefined;
    try {
      return signerOf(previous.sealed);
    } catch (err) {
      logger.warn({ webhookId: id, err }, 'the previous secret of a webhook cannot be opened; the new one signs alone');
      return undefined;
    }
  }

  return {
    async make(delivery, webhook, startedAt, signal) {
      const begun = monotonicMs(clock);
      const outcome = await send(delivery, webhook, startedAt, signal);
      if (outcome.kind === 'failed' && signal.aborted) throw signal.reason;
      const durationMs = Math.round(monotonicMs(clock) - begun);
      const now = clock.now();
      const succeeded = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status <= 299;
      const next = succeeded ? null : retryAt(deps, delivery, outcome, now);
      const status = succeeded ? 'succeeded' : next === null ? 'failed' : 'pending';
      return {
        outcome,
        record: {
          at: startedAt,
          durationMs,
          status: outcome.kind === 'answered' ? outcome.status : null,
          error: succeeded ? null : errorText(outcome),
        },
        state: { status, nextTryAt: next, finishedAt: next === null ? now : null },
      };
    },
    async conclude({ outcome, state: { status } }, webhook, about) {
      const facts = { ...about, status };
      logger.debug(facts, 'webhook try');
      if (isGone(outcome)) {
        // The receiver says that it is gone for good: nothing more is sent until somebody activates the webhook again. A webhook
        // that has a new receiver meanwhile, or was activated again, continues, with this delivery at once.
        if (await storage.webhooks.pause(webhook)) {
          logger.warn(facts, 'webhook paused: the receiver answered 410');
        }
      } else if (status === 'failed') {
        logger.warn(facts, 'webhook delivery failed permanently');
      }
    },
  };
}

function retryAt(
  deps: DeliveryTriesDeps,
  { event, tries }: Pick<Delivery, 'event' | 'tries'>,
  outcome: WebhookOutcome,
  now: Date,
): Date | null {
  // A user who presses "test" wants to see the outcome now.
  if (event === TEST_EVENT) return null;
  // Due as soon as the webhook is activated, however often it was tried.
  if (isGone(outcome)) return now;
  return nextTryAt({
    tries: tries.length + 1,
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
