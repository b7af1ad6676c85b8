/** What both checkers say of certificates that they refuse before they search for a chain. */
import { LIMITS } from '../../core/web-proof/tlsnotary/limits.ts';

/** TLS needs a signature over the key exchange (RFC 8422 section 2). */
export const NOT_FOR_SIGNATURES =
  'the key usage of the server certificate does not allow signatures (digitalSignature)';

/** Beside the leaf and its authorities, a presentation has no room for more. */
export function tooMany(count: number): string {
  return `the server sent ${count} certificates, but at most ${LIMITS.certificates} are checked: shorten its chain`;
}
