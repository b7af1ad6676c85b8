/** A notary that someone else runs: a Credence notary behind HTTP, with its key pinned. */
import { hexToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { checkOptions } from '../../core/configuration-error.ts';
import { isDomainError } from '../../core/errors.ts';
import type { NotaryAdapter } from '../../core/ports/adapter-values.ts';
import { type Clock, systemClock } from '../../core/ports/clock.ts';
import type { Notary } from '../../core/ports/notary.ts';
import { notaryLabel } from '../../core/web-proof/notary-label.ts';
import type { VerifyWebProof } from '../../core/web-proof/verify.ts';
import { webProofSchema } from '../../core/web-proof/web-proof.ts';
import { FairQueue } from '../fair-queue/index.ts';
import { checkAnswer } from './check-answer.ts';
import { createNotaryCalls, unusable } from './notary-calls.ts';
import { httpNotaryOptions } from './options.ts';

export { createNotaryCalls, MAX_CLOCK_DIFFERENCE_SECONDS, type NotaryCalls, unusable } from './notary-calls.ts';
export { httpNotaryOptions } from './options.ts';

/** What `createHttpNotary` takes. */
export interface HttpNotaryOptions extends z.input<typeof httpNotaryOptions> {
  /** Checks the proofs that the notary returns. */
  readonly verify: VerifyWebProof;
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
