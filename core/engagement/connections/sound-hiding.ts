/**
 * Whether what a web proof hides could change what it says. Some notaries let the prover choose the hidden bytes. A hidden
 * line end inside a cookie starts a second request, one inside a response header a second answer, and hidden quotes make
 * other JSON of a body: the parser sees one exchange where the server had two, or another value where it wrote one.
 */
import { hasSignedValues } from '../../web-proof/attested-values/signed-values.ts';
import type { VerifiedWebProof } from '../../web-proof/verify.ts';

/**
 * True when nothing hidden can change how request and response are read. Either the response is all visible and the request
 * hides only within values of its headers: whatever else was sent there, a response that is one message from its first to
 * its last byte answers the first request, whose line is visible. Or the notary signed the values that the response shows:
 * such a notary hides values only, and they are those it saw.
 */
export function hidesSoundly(proof: VerifiedWebProof): boolean {
  return hidesHeaderValuesOnly(proof) || hasSignedValues(proof);
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
