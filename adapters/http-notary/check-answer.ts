import { DomainError } from '../../core/errors.ts';
import { parseRequest } from '../../core/web-proof/http/parse-request.ts';
import { writeRequest } from '../../core/web-proof/notarize/request-message.ts';
import { type NotarizeRequest, policyOf } from '../../core/web-proof/prove-request.ts';
import { revealedOfRequest } from '../../core/web-proof/redaction/redact.ts';
import { sameRanges } from '../../core/web-proof/tlsnotary/ranges.ts';
import { allVisible } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
import type { VerifiedWebProof } from '../../core/web-proof/verify.ts';
import { MAX_CLOCK_DIFFERENCE_SECONDS } from './notary-calls.ts';

export interface Expected {
  readonly fingerprint: string;
  /** Unix seconds when the request was sent. */
  readonly asked: number;
}

/**
 * Checks that a verified proof answers this request: an old proof, one of another request or of another key is refused.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming what differs.
 */
export function checkAnswer(proof: VerifiedWebProof, request: NotarizeRequest, { fingerprint, asked }: Expected): void {
  const { serverName, bytes } = writeRequest(request);
  demand(proof.notaryKeyFingerprint === fingerprint, 'it is signed by another key than the configured one');
  demand(
    Math.abs(proof.tlsTimestamp - asked) <= MAX_CLOCK_DIFFERENCE_SECONDS,
    'its time is too far from now; check the clocks',
  );
  demand(proof.serverName === serverName, 'it is about another server');
  const { sent, received } = proof.transcript;
  demand(received.bytes.length <= request.maxRecvData, 'the answer in it is larger than maxRecvData');
  const revealed = revealedOfRequest(parseRequest(allVisible(bytes)), policyOf(request));
  demand(
    sent.bytes.length === bytes.length && sameRanges(sent.revealed, revealed),
    'it does not hide exactly what was to be hidden of the request',
  );
  for (const { start, end } of revealed) {
    for (let at = start; at < end; at++) demand(sent.bytes[at] === bytes[at], 'it is about another request');
  }
}

function demand(condition: boolean, message: string): void {
  if (!condition) throw new DomainError('INTERNAL_SERVER_ERROR', `${message}.`);
}
