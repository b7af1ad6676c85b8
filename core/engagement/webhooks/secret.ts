/** Webhook secrets: `whsec_` and the base64 of 32 random bytes, the form of the Standard Webhooks specification. */
import type { RandomSource } from '../../ports/random-source.ts';
import { decodeBase64, encodeBase64 } from '../../security/base64.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** How long the secret before a rotation continues signing: receivers get the new one meanwhile. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** The context under which webhook secrets are sealed. */
export const WEBHOOK_SECRET_CONTEXT = 'webhook';

export function createWebhookSecret(random: RandomSource): string {
  return PREFIX + encodeBase64(random.bytes(SECRET_BYTES));
}

/**
 * The key of the Standard Webhooks signature: the bytes that the part after `whsec_` encodes.
 *
 * @throws RangeError when the text is not such a secret.
 */
export function standardKeyOf(secret: string): Uint8Array {
  const key = secret.startsWith(PREFIX) ? decodeBase64(secret.slice(PREFIX.length)) : null;
  if (key === null || key.length === 0) throw new RangeError('A webhook secret reads "whsec_" and base64.');
  return key;
}
