import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Reserved by RFC 2606: no mail to it ever arrives anywhere. */
const DOMAIN = 'creators.invalid';
const MAX_LOCAL_PART = 64;

/**
 * Returns the e-mail address that is used if none was given (docs/specification/engagement.md#creator): derived from the
 * externalId, different for different ones, always of a valid form.
 */
export function placeholderEmail(externalId: string): string {
  if (externalId.length <= MAX_LOCAL_PART && /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/.test(externalId)) {
    return `${externalId}@${DOMAIN}`;
  }
  const readable = externalId.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 32);
  const digest = bytesToHex(sha256(utf8ToBytes(externalId))).slice(0, 16);
  return `${readable.replace(/^-|-$/g, '') || 'creator'}.${digest}@${DOMAIN}`;
}
