/**
 * Whether what a web proof hides could change what it says. Some notaries let the prover choose the hidden bytes. A hidden
 * line end inside a cookie starts a second request; one inside a response header a second answer. The parser then sees one
 * exchange while the server had two. Hidden quotes turn a body into other JSON, so that the parser sees another value.
 */
import { hasSignedValues } from '../../web-proof/attested-values/signed-values.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';

/**
 * True when nothing hidden can change how request and response are read. There are two cases:
 * - The response is all visible and the request hides only within values of its headers. Whatever else was sent there, a
 *   response that is one message from end to end answers the first request, whose line is visible.
 * - The notary made the request and signed the values that the response shows. Such a notary hides values only, and they are the
 *   ones it saw. A blind notary saw as little of what is hidden as we do.
 */
export function isSafelyRedacted(proof: VerifiedWebProof): boolean {
  return hidesHeaderValuesOnly(proof) || (proof.notarization !== 'blind' && hasSignedValues(proof));
}

function hidesHeaderValuesOnly({ transcript, request }: VerifiedWebProof): boolean {
  const { sent, received } = transcript;
  return (
    received.hidden.length === 0 &&
    sent.hidden.every(({ start, end }) =>
      request.headers.some(({ valueRange }) => valueRange.start <= start && end <= valueRange.end),
    )
  );
}
