/** A notary that someone else runs: a Credence notary behind HTTP, with its key pinned. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import { DomainError, isDomainError } from '../../core/errors.ts';
import type { NotaryAdapter, NotaryContext } from '../../core/ports/adapter-values.ts';
import { type Clock, systemClock } from '../../core/ports/clock.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { parseRequest } from '../../core/web-proof/http/parse-request.ts';
import { writeRequest } from '../../core/web-proof/notarize/request-message.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import { type NotarizeRequest, policyOf } from '../../core/web-proof/prove-request.ts';
import { revealedOfRequest } from '../../core/web-proof/redaction/redact.ts';
import { sameRanges, sliceRanges } from '../../core/web-proof/tlsnotary/ranges.ts';
import { sameBytes } from '../../core/web-proof/tlsnotary/verification-error.ts';
import { allVisible } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
import type { VerifiedWebProof } from '../../core/web-proof/verify.ts';
import { webProofSchema } from '../../core/web-proof/web-proof.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { createNotaryCalls, MAX_CLOCK_DIFFERENCE_SECONDS, unusable } from './notary-calls.ts';
import { httpNotaryOptions } from './options.ts';

export { createNotaryCalls, MAX_CLOCK_DIFFERENCE_SECONDS, type NotaryCalls, unusable } from './notary-calls.ts';
export { httpNotaryOptions } from './options.ts';

/** What `createHttpNotary` takes. */
export interface HttpNotaryOptions extends z.input<typeof httpNotaryOptions>, Pick<NotaryContext, 'verify'> {
  /** @default the system clock */
  readonly clock?: Clock;
}

const proofAnswerSchema = z.object({ data: webProofSchema });
const attestationAnswerSchema = z.object({
  data: z.object({
    attestation: z
      .string()
      .max(4_096)
      .regex(/^([0-9a-f]{2})+$/),
  }),
});

/**
 * Verifies every answer. The pinned key must have signed it just now, about exactly the request that was sent. It must hide
 * exactly the parts of that request that the caller asked to hide. The notary is trusted with the request's credentials and with the redaction of the answer.
 * @throws ZodError for options out of range.
 */
export function createHttpNotary(options: HttpNotaryOptions): Notary {
  const settings = httpNotaryOptions.parse(options);
  const { verify, clock = systemClock } = options;
  const base = notaryLabel(settings.url);
  const queue = new FairQueue({ name: 'remote notary', ...settings });
  const { post, close } = createNotaryCalls(settings);

  return {
    url: base,
    fingerprint: settings.fingerprint,
    async notarize(request, signal, caller) {
      let asked = 0;
      const notarized = () => {
        asked = Math.floor(clock.now().getTime() / 1000);
        return post('/notarize', request, proofAnswerSchema, signal);
      };
      const { data: proof } = await queue.run(notarized, caller, signal);
      const { warnings } = proof.meta;
      try {
        checkAnswer(await verify(proof), request, { fingerprint: settings.fingerprint, asked });
      } catch (error) {
        if (!isDomainError(error)) throw error;
        throw unusable(`sent a proof that is not acceptable: ${error.message.replace(/\.$/, '')}`, error);
      }
      // What it calls itself is not signed; callers know it by the configured name.
      return { data: proof.data, version: proof.version, meta: { notaryUrl: base, ...(warnings && { warnings }) } };
    },
    async attestQueries(webProof, queries, signal = new AbortController().signal, caller) {
      const attested = () => post('/attest-queries', { webProof, queries }, attestationAnswerSchema, signal);
      const { data } = await queue.run(attested, caller, signal);
      return hexToBytes(data.attestation);
    },
    close,
  };
}

/**
 * A notary that somebody else runs, as a value: as the default one, or as one that callers may choose.
 *
 *     createCredence({ notary: httpNotary({ url: 'https://notary.example', token, fingerprint }) });
 *
 * @throws ConfigurationError naming every unusable option
 */
export function httpNotary(options: z.input<typeof httpNotaryOptions>): NotaryAdapter {
  const settings = checkOptions('httpNotary', httpNotaryOptions.strict(), options);
  return { create: ({ verify, clock }) => createHttpNotary({ ...settings, verify, clock }) };
}

interface Expected {
  readonly fingerprint: string;
  /** Unix seconds when the request was sent. */
  readonly asked: number;
}

/**
 * Checks that a verified proof answers this request: an old proof, one of another request or of another key is refused.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming what differs.
 */
function checkAnswer(proof: VerifiedWebProof, request: NotarizeRequest, { fingerprint, asked }: Expected): void {
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
  const isSame = sameBytes(sliceRanges(sent.bytes, revealed), sliceRanges(bytes, revealed));
  demand(isSame, 'it is about another request');
}

function demand(condition: boolean, message: string): void {
  if (!condition) throw new DomainError('INTERNAL_SERVER_ERROR', `${message}.`);
}
