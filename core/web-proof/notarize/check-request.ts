import { DomainError, isDomainError } from '../../errors.ts';
import type { ContentDecoder } from '../../ports/content-decoder.ts';
import type { HttpRequest } from '../http/message.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type NotarizeRequest, policyOf } from '../prove-request.ts';
import { refuseRequest } from '../redaction/redact.ts';
import { allVisible } from '../tlsnotary/visible-bytes.ts';

/**
 * Reads a request, and refuses what would be refused whatever the answer is. A request that has been made cannot be taken back.
 * @param bytes as they will be sent.
 * @throws DomainError `INVALID_REQUEST` with the reason that redaction and verifiers give
 */
export async function checkRequest(
  request: NotarizeRequest,
  bytes: Uint8Array,
  decoder: ContentDecoder,
  signal?: AbortSignal,
): Promise<HttpRequest> {
  try {
    const parsed = parseRequest(allVisible(bytes));
    await refuseRequest(parsed, policyOf(request), decoder, signal);
    return parsed;
  } catch (error) {
    if (!isDomainError(error, 'INTERNAL_SERVER_ERROR')) throw error;
    const message = error.message.replace('Transcript parsing failed: request: ', 'The request cannot be proven: ');
    throw new DomainError('INVALID_REQUEST', message, { cause: error });
  }
}
