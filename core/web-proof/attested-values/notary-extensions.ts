/** What a notary needs to offer zero-knowledge proofs of what it signs. */

import { DomainError } from '../../errors.ts';
import type { AttestQueries } from '../../ports/notary.ts';
import type { QueryEvaluator } from '../../ports/query-evaluator.ts';
import { type RandomSource, systemRandom } from '../../ports/random-source.ts';
import { extractValues } from '../extraction/extract-values.ts';
import { isAcceptableQuery, MAX_QUERIES } from '../extraction/queries.ts';
import type { AttestationExtensions } from '../notarize/notarize.ts';
import type { VerifyWebProof } from '../verify.ts';
import { attestQueryValues, buildValuesExtension } from './extension.ts';
import { hasSignedValues } from './signed-values.ts';
import type { ValuesSigner } from './values-key.ts';

const SEED_LENGTH = 32;

/** The hook that puts the values extension into every attestation. Takes about 0.1 s to make. */
export function createValuesExtensions(
  signer: ValuesSigner,
  random: RandomSource = systemRandom,
): AttestationExtensions {
  // Poseidon derives its constants at the first use: better now than in the first request.
  buildValuesExtension(signer, random.bytes(SEED_LENGTH), { method: '', url: '', tlsTimestamp: 0, body: null });
  return ({ method, url, tlsTimestamp, responseBody }) => [
    buildValuesExtension(signer, random.bytes(SEED_LENGTH), { method, url, tlsTimestamp, body: responseBody }),
  ];
}

export interface AttestQueriesDependencies {
  readonly signer: ValuesSigner;
  /** Of the notary, lower-case hex. */
  readonly fingerprint: string;
  readonly verify: VerifyWebProof;
  readonly evaluator: QueryEvaluator;
  readonly random?: RandomSource;
}

/** `Notary.attestQueries` for the notary whose key made `signer`. */
export function createAttestQueries(dependencies: AttestQueriesDependencies): AttestQueries {
  const { signer, fingerprint, verify, evaluator, random = systemRandom } = dependencies;
  return async (webProof, queries, _signal, caller) => {
    if (queries.length > MAX_QUERIES || !queries.every(isAcceptableQuery)) {
      throw new DomainError('INVALID_REQUEST', `At most ${MAX_QUERIES} queries, each well-formed and short enough.`);
    }
    const proof = await verify(webProof);
    if (proof.notaryKeyFingerprint !== fingerprint) {
      throw new DomainError('PROOF_GENERATION_FAILED', 'The web proof was signed by another notary.');
    }
    const facts = { method: proof.request.method, url: proof.url, tlsTimestamp: proof.tlsTimestamp };
    // The name of the server is not signed. A notary that vouches for a URL must see it in the request, or have signed it.
    if (!proof.hostConfirmed && !hasSignedValues(proof)) {
      throw new DomainError(
        'PROOF_GENERATION_FAILED',
        'The web proof hides the Host header and has no signed values that confirm its URL, so that is not certain.',
      );
    }
    const { values } = await extractValues(evaluator, proof.response.content, queries, caller);
    return attestQueryValues(signer, random.bytes(SEED_LENGTH), facts, queries, values);
  };
}
