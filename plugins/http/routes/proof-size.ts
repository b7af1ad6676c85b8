/** How large a web proof is before it is made. */
import type { NotarizeRequest } from '../../../core/web-proof/prove-request.ts';

/**
 * About the bytes that the answer to a prove request may take: its transcript in hex. Held before the request is made, since
 * one with effects cannot be taken back when there is no room for its proof.
 */
export function proofBytes({ body = '', maxRecvData }: Pick<NotarizeRequest, 'body' | 'maxRecvData'>): number {
  return 2 * (Buffer.byteLength(body) + maxRecvData);
}
