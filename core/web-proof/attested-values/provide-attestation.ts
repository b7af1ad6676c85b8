/** Finds the signature under the values of a journal: in the attestation itself, or by asking the notary again. */

import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { DomainError, isDomainError } from '../../errors.ts';
import type { Notary } from '../../ports/notary.ts';
import type { ProofStatement } from '../../ports/zk-prover.ts';
import { KEY } from '../tlsnotary/attestation-signer.ts';
import type { VerifiedWebProof } from '../verify.ts';
import { AttestationError, type OpenedAttestation } from './attestation.ts';
import { EXTENSION_ID, openQueryValues, openValuesExtension } from './extension.ts';

const NOTARY_FAILURES = ['INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR'] as const;

export interface AttestationWanted {
  readonly proof: VerifiedWebProof;
  readonly statement: Omit<ProofStatement, 'attestation'>;
  /** Queries that were evaluated, so that the values extension does not speak of them. */
  readonly evaluated: readonly string[];
  readonly signal?: AbortSignal;
  readonly caller?: string;
}

/** The compressed key of the notary that signed `proof`, 33 bytes. */
export function notaryKeyOf(proof: VerifiedWebProof): Uint8Array {
  const { algorithm, data } = proof.presentation.body.verifyingKey.value;
  return (algorithm === KEY.p256 ? p256 : secp256k1).Point.fromBytes(data).toBytes(true);
}

/**
 * The attestation for a statement. The result rejects with `PROOF_GENERATION_FAILED` when the attestation in the proof does
 * not hold, or when none covers the statement and the notary that signed the proof cannot be asked; the message says why. A busy notary's
 * `SERVICE_UNAVAILABLE` passes through.
 */
export function createProvideAttestation(
  notaries: readonly Notary[],
): (wanted: AttestationWanted) => Promise<OpenedAttestation> {
  return async ({ proof, statement, evaluated, signal, caller }) => {
    if (proof.presentation.body.verifyingKey.value.algorithm !== KEY.secp256k1) {
      throw failed('The notary signs with another curve than secp256k1, which an Ethereum contract can check.');
    }
    const { facts, notaryKey, queries, values, presentation } = statement;
    try {
      const exchange = { ...facts, body: proof.response.content };
      const inProof = openValuesExtension(proof.extensions, notaryKey, exchange);
      if (inProof !== undefined && evaluated.length === 0) return inProof;

      const notary = notaries.find((candidate) => candidate.fingerprint === proof.notaryKeyFingerprint);
      if (notary?.attestQueries === undefined) throw failed(reasonToAsk(inProof, evaluated));
      const attestation = await notary.attestQueries(presentation, queries, signal, caller);
      return openQueryValues(attestation, notaryKey, facts, queries, values);
    } catch (error) {
      if (error instanceof AttestationError) throw failed(`The notary's attestation does not hold: ${error.message}.`);
      // A notary that is away is a proof that fails, as far as the caller is concerned; a busy one can be tried again.
      if (isDomainError(error, ...NOTARY_FAILURES)) throw failed(error.message, error);
      throw error;
    }
  };
}

function reasonToAsk(inProof: OpenedAttestation | undefined, evaluated: readonly string[]): string {
  const unreachable = 'and the notary that signed the web proof is not one that can be asked to attest values';
  if (inProof === undefined) return `The web proof has no signed values (${EXTENSION_ID}), ${unreachable}.`;
  const query = JSON.stringify(evaluated[0]);
  return `The query ${query} is not the canonical path of one signed value, so it has to be evaluated by the notary, ${unreachable}.`;
}

function failed(message: string, cause?: unknown): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message, { cause });
}
