/** Webhook secrets: `whsec_` and the base64 of 32 random bytes, the form of the Standard Webhooks specification. */
import type { RandomSource } from '../../ports/random-source.ts';
import { decodeBase64, encodeBase64 } from '../../security/base64.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** How long the secret before a rotation still signs: receivers get the new one meanwhile. */
export const SECRET_OVERLAP_MS = 24 * 60 * 60 * 1_000;

/** The context under which webhook secrets are sealed. */
export const WEBHOOK_SECRET_CONTEXT = 'webhook';

export function createWebhookSecret(random: RandomSource): string {
  return PREFIX + encodeBase64(random.bytes(SECRET_BYTES));
}

/** Whether the text is `whsec_` and base64. */
export function isStandardSecret(text: string): boolean {
  return decodeSecret(text) !== null;
}

/**
 * The key of the Standard Webhooks signature: the bytes that the part after `whsec_` encodes.
 *
 * @throws RangeError when the text is not such a secret.
 */
export function standardKeyOf(secret: string): Uint8Array {
  const key = decodeSecret(secret);
  if (key === null) throw new RangeError('A webhook secret reads "whsec_" and base64.');
  return key;
}

function decodeSecret(text: string): Uint8Array | null {
  const key = text.startsWith(PREFIX) ? decodeBase64(text.slice(PREFIX.length)) : null;
  return key === null || key.length === 0 ? null : key;
}
