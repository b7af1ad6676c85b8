/**
 * Decides who attests the values of a seal. That is the notary that signed the web proof, in the proof itself or by being
 * asked again. Or it is this host as a delegate for a notary that it trusts.
 */

import { hexToBytes } from '@noble/hashes/utils.js';
import { DomainError, isDomainError } from '../../errors.ts';
import type { Notary } from '../../ports/notary.ts';
import { type RandomSource, systemRandom } from '../../ports/random-source.ts';
import type { ProofStatement } from '../../ports/zk-prover.ts';
import type { VerifiedWebProof } from '../verify.ts';
import {
  AttestationError,
  attestCommitments,
  type OpenedAttestation,
  openAttestation,
  SEED_LENGTH,
} from './attestation.ts';
import { EXTENSION_ID, openValuesExtension, ownAttester, queryCommitments } from './extension.ts';
import { notaryKeyOf, signsOnSecp256k1 } from './notary-key.ts';
import type { Attester } from './program.ts';
import { exchangeOf } from './sealable.ts';
import type { ValuesSigner } from './values-signature.ts';

const NOTARY_FAILURES = ['INVALID_PRESENTATION', 'INTERNAL_SERVER_ERROR'] as const;

/** The key with which a host attests web proofs of other notaries that it has verified. */
export interface Delegate {
  /** Compressed secp256k1 key, 33 bytes; contracts believe it by its SHA-256. */
  readonly publicKey: Uint8Array;
  readonly signer: ValuesSigner;
  readonly random?: RandomSource;
}

export interface AttestationSources {
  /** Notaries that can be asked to attest queries on proofs that they signed. */
  readonly notaries: readonly Notary[];
  /** Without one, only proofs with signed values and those of `notaries` are sealed. */
  readonly delegate?: Delegate;
}

/** What is attested; the part of a statement that is known before its attestation. */
export type AttestedContent = Pick<ProofStatement, 'presentation' | 'facts' | 'queries' | 'values'>;

export interface AttestationPlan {
  readonly attester: Attester;
  /** Compressed secp256k1 key of the attester, 33 bytes. */
  readonly attesterKey: Uint8Array;
  /**
   * The attestation of `content`. Rejects with a `DomainError` `PROOF_GENERATION_FAILED` if the notary that has to be asked is
   * away, or if its attestation does not hold. A busy notary's `SERVICE_UNAVAILABLE` passes through.
   */
  attest(content: AttestedContent, signal?: AbortSignal, caller?: string): Promise<OpenedAttestation>;
}

export type PlanAttestation = (proof: VerifiedWebProof, evaluated: readonly string[]) => Promise<AttestationPlan>;

/**
 * Plans the attestation of a verified, sealable web proof; `evaluated` are the queries that its values extension does not speak
 * of. Asks nobody. The result rejects with a `DomainError`: `PROOF_NOT_SEALABLE` if nobody can attest it, saying why;
 * `PROOF_GENERATION_FAILED` if the values extension of the proof does not hold.
 */
export function createPlanAttestation({ notaries, delegate }: AttestationSources): PlanAttestation {
  return async (proof, evaluated) => {
    const inProof = signsOnSecp256k1(proof) ? await signedInProof(proof) : undefined;
    const attester = ownAttester(exchangeOf(proof));
    if (inProof !== undefined && evaluated.length === 0) return byNotary(proof, async () => inProof);

    const notary = notaries.find((candidate) => candidate.fingerprint === proof.notaryKeyFingerprint);
    if (notary !== undefined) {
      if (inProof === undefined) {
        throw refusal(`The web proof has no signed values (${EXTENSION_ID}). Make a new one.`);
      }
      const { attestQueries } = notary;
      if (attestQueries === undefined) {
        throw refusal(
          `${notSigned(evaluated)}. It has to be evaluated, but the notary of the web proof does not attest queries.`,
        );
      }
      return byNotary(proof, async (content, signal, caller) => {
        const signed = await attestQueries(content.presentation, content.queries, signal, caller);
        return openAttestation(signed, notaryKeyOf(proof), queryCommitments(content, attester));
      });
    }
    if (!proof.notaryTrusted) throw refusal(untrusted(proof, inProof, evaluated));
    if (delegate === undefined) throw refusal('This service does not attest web proofs of other notaries.');
    return byDelegate(proof, delegate);
  };
}

async function signedInProof(proof: VerifiedWebProof): Promise<OpenedAttestation | undefined> {
  try {
    return openValuesExtension(proof.extensions, notaryKeyOf(proof), exchangeOf(proof));
  } catch (error) {
    throw attestationFailure(error);
  }
}

function byNotary(proof: VerifiedWebProof, attest: AttestationPlan['attest']): AttestationPlan {
  return {
    attester: ownAttester(exchangeOf(proof)),
    attesterKey: notaryKeyOf(proof),
    attest: (content, signal, caller) =>
      attest(content, signal, caller).catch((error: unknown) => {
        throw attestationFailure(error);
      }),
  };
}

function byDelegate(proof: VerifiedWebProof, { publicKey, signer, random = systemRandom }: Delegate): AttestationPlan {
  const { sent, received } = proof.transcript;
  const attester: Attester = {
    kind: 'delegate',
    notary: hexToBytes(proof.notaryKeyFingerprint),
    partlyHidden: sent.hidden.length > 0 || received.hidden.length > 0,
  };
  return {
    attester,
    attesterKey: publicKey,
    async attest(content) {
      const commitments = queryCommitments(content, attester);
      return openAttestation(attestCommitments(signer, random.bytes(SEED_LENGTH), commitments), publicKey, commitments);
    },
  };
}

function untrusted(
  { notaryKeyFingerprint }: VerifiedWebProof,
  inProof: OpenedAttestation | undefined,
  evaluated: readonly string[],
): string {
  const why = inProof === undefined ? 'The web proof has no signed values' : notSigned(evaluated);
  return `${why}, and its notary ${notaryKeyFingerprint} is not a trusted one. Add it to the trusted notaries (TRUSTED_NOTARIES_FILE) to have its proofs attested by this service.`;
}

function notSigned([query]: readonly string[]): string {
  return `The query ${JSON.stringify(query)} is not the canonical path of one signed value`;
}

/** A notary that is away is a proof that fails, as far as the caller is concerned; a busy one can be tried again. */
function attestationFailure(error: unknown): unknown {
  if (error instanceof AttestationError) return failed(`The notary's attestation does not hold: ${error.message}.`);
  return isDomainError(error, ...NOTARY_FAILURES) ? failed(error.message, error) : error;
}

function refusal(message: string): DomainError {
  return new DomainError('PROOF_NOT_SEALABLE', message);
}

function failed(message: string, cause?: unknown): DomainError {
  return new DomainError('PROOF_GENERATION_FAILED', message, { cause });
}
