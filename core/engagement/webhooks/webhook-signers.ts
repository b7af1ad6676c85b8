/** Signers of webhooks, made once and then remembered: a webhook that gets many events need not open its secret for each. */
import { remembered } from '../../keep-newest.ts';
import type { HmacSha256 } from '../../ports/hmac.ts';
import type { SecretBox } from '../../ports/secret-box.ts';
import { WEBHOOK_SECRET_CONTEXT } from './secret.ts';
import { createWebhookSigner, javascriptHmac, type WebhookSigner } from './signature.ts';

/** How many are remembered, those used last. They are small; the key that opens their secrets is in memory as well. */
const MAX_SIGNERS = 1_000;

/** @returns the signer of a sealed secret. It throws what the box and `createWebhookSigner` throw, and remembers no failure. */
export function createWebhookSigners(
  box: SecretBox,
  hmacOf: HmacSha256 = javascriptHmac,
  max = MAX_SIGNERS,
): (sealed: string) => WebhookSigner {
  return remembered((sealed) => createWebhookSigner(box.open(sealed, WEBHOOK_SECRET_CONTEXT), hmacOf), max);
}
