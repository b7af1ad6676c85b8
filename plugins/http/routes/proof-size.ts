/** How large web proofs and the requests for them are. */
import { MAX_REQUEST_BODY, type NotarizeRequest } from '../../../core/web-proof/prove-request.ts';

export const MIB = 1024 * 1024;

/** Of a body that asks for a proof. JSON may need six characters for one byte of it; the rest of a request is small beside that. */
export const PROVE_BODY_BYTES = 6 * MAX_REQUEST_BODY + MIB;

/** Of a body with a proof: a presentation of 1 MiB is twice that in hex. */
export const PROOF_BODY_BYTES = 3 * MIB;

/**
 * About the bytes that the answer to a prove request may take: its transcript in hex. Held before the request is made, since
 * one with effects cannot be taken back when there is no room for its proof.
 */
export function proofBytes({ body = '', maxRecvData }: Pick<NotarizeRequest, 'body' | 'maxRecvData'>): number {
  return 2 * (Buffer.byteLength(body) + maxRecvData);
}
