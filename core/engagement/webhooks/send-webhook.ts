/** One signed request to a receiver. */
import { remembered } from '../../keep-newest.ts';
import type { HmacSha256 } from '../../ports/hmac.ts';
import type { Logger } from '../../ports/logger.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import type { WebhookOutcome, WebhookTransport } from '../../ports/webhook-transport.ts';
import { sentMessageId } from './message-id.ts';
import { WEBHOOK_SECRET_CONTEXT } from './secret.ts';
import { createWebhookSigner, javascriptHmac, type WebhookSigner, webhookHeaders } from './signature.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** The receiver answers within 10 seconds (docs/specification/engagement.md#delivery-rules). */
export const RECEIVER_TIMEOUT_MS = 10_000;

export interface SendWebhookDeps {
  readonly transport: WebhookTransport;
  readonly secretBox: SecretBox;
  /** Signs; in JavaScript by default. */
  readonly hmac?: HmacSha256;
  readonly logger: Logger;
  readonly timeoutMs?: number;
}

/** Signers that are kept: to open a secret takes longer than to sign with it. */
const MOST_SIGNERS = 1_000;

/** What it returns never rejects: what breaks down is an outcome, so that it is not repeated forever. */
export function webhookSender(deps: SendWebhookDeps) {
  const { transport, secretBox, hmac = javascriptHmac, logger, timeoutMs = RECEIVER_TIMEOUT_MS } = deps;
  const signerOf = remembered(
    (sealed: string) => createWebhookSigner(secretBox.open(sealed, WEBHOOK_SECRET_CONTEXT), hmac),
    MOST_SIGNERS,
  );
  return async (
    { messageId: storedId, event, body }: Pick<Delivery, 'messageId' | 'event' | 'body'>,
    { id: webhookId, url, sealedSecret, previousSecret: previous }: Webhook,
    at: Date,
    signal: AbortSignal,
  ): Promise<WebhookOutcome> => {
    let signer: WebhookSigner;
    try {
      signer = signerOf(sealedSecret);
    } catch (err) {
      logger.error({ webhookId, err }, 'the secret of a webhook cannot be opened');
      return { kind: 'failed', reason: 'protocol', message: 'The secret of this webhook cannot be opened. Rotate it.' };
    }
    let previousSigner: WebhookSigner | undefined;
    try {
      if (previous !== null && at < previous.validUntil) previousSigner = signerOf(previous.sealed);
    } catch (err) {
      logger.warn({ webhookId, err }, 'the previous secret of a webhook cannot be opened; the new one signs alone');
    }
    const messageId = sentMessageId(storedId);
    const headers = webhookHeaders({ signer, previousSigner, messageId, at, event, body });
    try {
      return await transport.send({ url, headers, body, deadlineMs: timeoutMs, signal });
    } catch (err) {
      // A defect, of a transport of the host's own for example.
      logger.error({ webhookId, err }, 'a webhook transport threw');
      return { kind: 'failed', reason: 'protocol', message: 'Sending failed; the log says why.' };
    }
  };
}
