import type { NotarizeRequest } from '../web-proof/prove-request.ts';
import type { WebProof } from '../web-proof/verify.ts';

/** Evaluates queries on a proof of this notary and signs the values; see `Notary.attestQueries`. */
export type AttestQueries = (
  webProof: WebProof,
  queries: readonly string[],
  signal?: AbortSignal,
  caller?: string,
) => Promise<Uint8Array>;

/**
 * Makes an HTTPS request and signs what it saw. It is the TLS client, so it sees everything, redacted parts too, and a
 * proof is as trustworthy as its key.
 */
export interface Notary {
  /** What callers name it by in `notaryUrl`, and what is in `meta.notaryUrl`. */
  readonly url: string;
  /** SHA-256 of the compressed SEC1 key, lower-case hex. */
  readonly fingerprint: string;
  /**
   * One request, one connection, no redirects followed; any status is proven.
   * @throws DomainError `INVALID_REQUEST` for a target that no request may have; `INTERNAL_SERVER_ERROR` when the server
   * cannot be reached, offers no TLS 1.2 with P-256 or is another one; when its answer is malformed, too large or late; when it
   * cannot be redacted soundly; `NAME_LOOKUP_TIMEOUT` when no name server of the host answers in time; `SERVICE_UNAVAILABLE`, with a time to retry after, when too many requests
   * wait or this one waited too long. The message says which. Rejects with the signal's reason when that fires.
   * @param caller on whose behalf; callers take turns, so that none keeps the others from theirs
   */
  notarize(request: NotarizeRequest, signal: AbortSignal, caller?: string): Promise<WebProof>;
  /**
   * Evaluates queries on the body that a web proof of this notary reveals, and signs the values, for proofs in zero
   * knowledge. The notary attests that the queries gave these values; no proof shows it. Missing on a notary that
   * does not offer this.
   * @returns the signed record (`core/web-proof/attested-values/attestation.ts`) over the request and one value a query.
   * @throws DomainError `PROOF_GENERATION_FAILED` if the proof is not this notary's own or does not verify, or a query gives no value.
   * DomainError `SERVICE_UNAVAILABLE` as `notarize`
   */
  readonly attestQueries?: AttestQueries;
  /** Closes the connections. Make no call after it. */
  close(): Promise<void>;
}
