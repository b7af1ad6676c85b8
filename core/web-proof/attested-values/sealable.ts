/**
 * Which exchanges may be sealed. A seal is read as "this request had these values in its answer": what would make that false
 * and does not are in the journal is refused here.
 */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { hostProblem } from '../host-binding.ts';
import { alteringHeader } from '../http/altering-headers.ts';
import type { HttpRequest } from '../http/message.ts';
import { HIDDEN_URL_BYTE } from '../http/request-host.ts';
import type { VerifiedWebProof } from '../verify.ts';
import type { RequestFacts } from './commitments.ts';
import { isValueStatus, type ProvableExchange } from './extension.ts';

/**
 * Why no seal may be made of a verified web proof, no matter who attests it; null if one may. A sentence without its full stop.
 */
export function unsealableReason(proof: VerifiedWebProof): string | null {
  const { request, response, url } = proof;
  // The journal says the URL, so it must be certain.
  const problem = hostProblem(proof);
  if (problem !== null) return `Cannot compress: ${problem}`;
  if (!isValueStatus(response.status)) {
    return `The status of the response is ${response.status}: values are sealed of responses with status 2xx other than 206`;
  }
  if (mayBeCutShort(proof)) {
    return 'The response declares no length, so the prover of this web proof could have ended it early';
  }
  return requestProblem(request, url);
}

/** Only an attesting notary is known to have read a response without a length up to the end of the session. */
function mayBeCutShort({ response, notarization }: VerifiedWebProof): boolean {
  return response.body.endsWithConnection && notarization !== 'attesting';
}

/**
 * Why a request may ask for something else than its method, URL and body say; null if it does not. Notaries sign by it and
 * compression asks it. A sentence without its full stop.
 * @param url as in the journal.
 */
export function requestProblem({ headers, body }: HttpRequest, url: string): string | null {
  for (const { name, opaque } of headers) {
    const altered = opaque ? null : alteringHeader(name);
    if (altered !== null) return `The request has the header ${name}, which asks for ${altered}`;
  }
  // Some servers take them for headers, `Host` included.
  if (body.trailers.length > 0) return 'The request has trailers, which may ask for another URL';
  if (body.hidden.length > 0) return 'A part of the body of the request is hidden, so its hash cannot be known';
  if (url.includes(HIDDEN_URL_BYTE) && !url.startsWith('https://')) {
    return 'The hidden part of the URL includes its beginning';
  }
  return null;
}

/** A request as a presentation shows it. */
interface ShownRequest {
  readonly request: HttpRequest;
  readonly url: string;
  readonly tlsTimestamp: number;
}

/** The facts of a request that a seal is about. Its body must be visible. */
export function requestFactsOf({ request: { method, body }, url, tlsTimestamp }: ShownRequest): RequestFacts {
  const facts = { method, url, tlsTimestamp };
  return body.bytes.length === 0 ? facts : { ...facts, requestBody: keccak_256(body.bytes) };
}

/** The exchange of a request with what is known of its response. */
export function exchangeWith(
  shown: ShownRequest,
  response: Omit<ProvableExchange, keyof RequestFacts | 'isRequestSealable'>,
): ProvableExchange {
  const isRequestSealable = requestProblem(shown.request, shown.url) === null;
  return { ...requestFactsOf(shown), isRequestSealable, ...response };
}

/** What the values extension of a verified web proof has to be about. */
export function exchangeOf(proof: VerifiedWebProof): ProvableExchange {
  const { status, content } = proof.response;
  const { sent, received } = proof.transcript;
  const isHiddenByProver = proof.notarization === 'blind' && sent.hidden.length + received.hidden.length > 0;
  return exchangeWith(proof, {
    status,
    body: content,
    hiddenByProver: isHiddenByProver ? hexToBytes(proof.notaryKeyFingerprint) : undefined,
    mayBeCutShort: mayBeCutShort(proof),
  });
}
