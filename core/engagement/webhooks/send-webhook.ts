/** One signed request to a receiver. */
import { remembered } from '../../keep-newest.ts';
import type { WebhookOutcome, WebhookTransport } from '../../ports/webhook-transport.ts';
import type { UseCaseParts } from '../use-case-parts.ts';
import { sentMessageId } from './message-id.ts';
import { WEBHOOK_SECRET_CONTEXT } from './secret.ts';
import { webhookHeaders } from './signature.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** The receiver answers within 10 seconds (docs/specification/engagement.md#delivery-rules). */
export const RECEIVER_TIMEOUT_MS = 10_000;

export interface SendWebhookDeps extends Pick<UseCaseParts, 'secretBox' | 'logger'> {
  readonly transport: WebhookTransport;
  readonly timeoutMs?: number;
}

/** Opened secrets that are kept: to open one takes longer than to sign with it. */
const MOST_SECRETS = 1_000;

/** What it returns never rejects: what breaks down is an outcome, so that it is not repeated forever. */
export function webhookSender(deps: SendWebhookDeps) {
  const { transport, secretBox, logger, timeoutMs = RECEIVER_TIMEOUT_MS } = deps;
  const secretOf = remembered((sealed: string) => secretBox.open(sealed, WEBHOOK_SECRET_CONTEXT), MOST_SECRETS);
  return async (
    { messageId: storedId, event, body }: Pick<Delivery, 'messageId' | 'event' | 'body'>,
    { id: webhookId, url, sealedSecret, previousSecret: previous }: Webhook,
    at: Date,
    signal: AbortSignal,
  ): Promise<WebhookOutcome> => {
    let secret: string;
    try {
      secret = secretOf(sealedSecret);
    } catch (err) {
      logger.error({ webhookId, err }, 'the secret of a webhook cannot be opened');
      return { kind: 'failed', reason: 'protocol', message: 'The secret of this webhook cannot be opened. Rotate it.' };
    }
    let previousSecret: string | undefined;
    try {
      if (previous !== null && at < previous.validUntil) previousSecret = secretOf(previous.sealed);
    } catch (err) {
      logger.warn({ webhookId, err }, 'the previous secret of a webhook cannot be opened; the new one signs alone');
    }
    const messageId = sentMessageId(storedId);
    const headers = webhookHeaders({ secret, previousSecret, messageId, at, event, body });
    try {
      return await transport.send({ url, headers, body, deadlineMs: timeoutMs, signal });
    } catch (err) {
      // A defect, of a transport of the host's own for example.
      logger.error({ webhookId, err }, 'a webhook transport threw');
      return { kind: 'failed', reason: 'protocol', message: 'Sending failed; the log says why.' };
    }
  };
}
