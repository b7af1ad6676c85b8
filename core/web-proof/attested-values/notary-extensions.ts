/** What a notary needs to offer zero-knowledge proofs of what it signs. */

import { utf8ToBytes } from '@noble/hashes/utils.js';
import { DomainError } from '../../errors.ts';
import type { AttestQueries } from '../../ports/notary.ts';
import type { QueryEvaluator } from '../../ports/query-evaluator.ts';
import { type RandomSource, systemRandom } from '../../ports/random-source.ts';
import { extractValues } from '../extraction/extract-values.ts';
import { isAcceptableQuery, MAX_QUERIES } from '../extraction/queries.ts';
import type { AttestationExtensions } from '../notarize/notarize.ts';
import type { VerifyWebProof } from '../verify.ts';
import { attestCommitments, SEED_LENGTH } from './attestation.ts';
import { EXTENSION_ID, exchangeCommitments, ownAttester, queryCommitments } from './extension.ts';
import { exchangeOf, exchangeWith, requestFactsOf, unsealableReason } from './sealable.ts';
import { hasSignedValues } from './signed-values.ts';
import type { ValuesSigner } from './values-signature.ts';

/**
 * The hook that puts the values extension into every attestation: the request alone if the body has no provable values. Some 700
 * values take a tenth of a second.
 */
export function createValuesExtensions(
  signer: ValuesSigner,
  random: RandomSource = systemRandom,
): AttestationExtensions {
  return async (revealed) => {
    const { status, responseBody: body, hiddenByProver, mayBeCutShort } = revealed;
    const exchange = exchangeWith(revealed, { status, body, hiddenByProver, mayBeCutShort });
    // A fresh seed for every attestation.
    const value = attestCommitments(signer, random.bytes(SEED_LENGTH), exchangeCommitments(exchange));
    return [{ id: utf8ToBytes(EXTENSION_ID), value }];
  };
}

export interface AttestQueriesDeps {
  readonly signer: ValuesSigner;
  /** Of the notary, lower-case hex. */
  readonly fingerprint: string;
  readonly verify: VerifyWebProof;
  readonly evaluator: QueryEvaluator;
  readonly random?: RandomSource;
}

/** `Notary.attestQueries` for the notary whose key made `signer`. */
export function createAttestQueries(deps: AttestQueriesDeps): AttestQueries {
  const { signer, fingerprint, verify, evaluator, random = systemRandom } = deps;
  return async (webProof, queries, signal, caller) => {
    if (queries.length > MAX_QUERIES || !queries.every(isAcceptableQuery)) {
      throw new DomainError('INVALID_REQUEST', `At most ${MAX_QUERIES} queries, each well-formed and short enough.`);
    }
    const proof = await verify(webProof, { caller, signal });
    if (proof.notaryKeyFingerprint !== fingerprint) {
      throw new DomainError('PROOF_GENERATION_FAILED', 'The web proof was signed by another notary.');
    }
    // What the holder of a presentation shows of it is not all signed: the server's name, and which bytes are hidden. The values
    // that this notary signed when it saw the exchange are.
    if (!hasSignedValues(proof)) {
      throw new DomainError(
        'PROOF_GENERATION_FAILED',
        'The web proof has no values signed by this notary that are those it shows. Make a new one.',
      );
    }
    const reason = unsealableReason(proof);
    if (reason !== null) throw new DomainError('PROOF_NOT_SEALABLE', `${reason}.`);
    const { values } = await extractValues(evaluator, proof.response.content, queries, caller);
    const commitments = queryCommitments(
      { facts: requestFactsOf(proof), queries, values },
      ownAttester(exchangeOf(proof)),
    );
    return attestCommitments(signer, random.bytes(SEED_LENGTH), commitments);
  };
}
