/** What a notary signs: facts of a connection, and commitments to what it carried. */
import { DomainError } from '../../errors.ts';
import type { RandomSource } from '../../ports/random-source.ts';
import type { AttestationSigner } from './attestation-signer.ts';
import { hashFunction } from './hash-algorithms.ts';
import { merkleRoot } from './merkle.ts';
import type {
  AttestationBody,
  ConnectionInfo,
  EphemeralKey,
  Extension,
  Presentation,
  TranscriptCommitment,
  TypedHash,
} from './presentation.ts';
import { bodyLeaves, signedHeader } from './struct-hash.ts';

/** Length of a blinder and of the header's id. */
export const RANDOM_LENGTH = 16;
/** Of the header; the only one that verifiers know. */
const HEADER_VERSION = 0;
/** The key, the connection, the server's key share, and the commitment to its certificates. */
const SINGLE_FIELDS = 4;

/** A signed body, without the proofs that a holder adds. */
export type Attestation = Pick<Presentation, 'signature' | 'header' | 'body'>;

/** What is attested. */
export interface AttestedFacts {
  readonly connectionInfo: ConnectionInfo;
  readonly serverEphemeralKey: EphemeralKey;
  readonly certificateCommitment: TypedHash;
  readonly extensions: readonly Extension[];
  readonly transcriptCommitments: readonly TranscriptCommitment[];
}

/**
 * Signs an attestation. The fields are numbered in the order of the body.
 * @param hashAlgorithm of the body's Merkle tree
 * @throws DomainError `INTERNAL_SERVER_ERROR` for a hash algorithm that is not known
 */
export async function signAttestation(
  facts: AttestedFacts,
  {
    signer,
    random,
    hashAlgorithm,
  }: { readonly signer: AttestationSigner; readonly random: RandomSource; readonly hashAlgorithm: number },
): Promise<Attestation> {
  const hash = hashFunction(hashAlgorithm);
  if (hash === undefined) {
    throw new DomainError('INTERNAL_SERVER_ERROR', `The hash algorithm ${hashAlgorithm} is not known.`);
  }
  let nextId = 0;
  const field = <T>(value: T) => ({ id: nextId++, value });
  const body: AttestationBody = {
    verifyingKey: field(signer.verifyingKey),
    connectionInfo: field(facts.connectionInfo),
    serverEphemeralKey: field(facts.serverEphemeralKey),
    certificateCommitment: field(facts.certificateCommitment),
    extensions: facts.extensions.map(field),
    transcriptCommitments: facts.transcriptCommitments.map(field),
  };
  const root = { algorithm: hashAlgorithm, value: merkleRoot(hash, bodyLeaves(hashAlgorithm, body)) };
  const header = { id: random.bytes(RANDOM_LENGTH), version: HEADER_VERSION, root };
  const data = await signer.sign(signedHeader(header));
  return { signature: { algorithm: signer.signatureAlgorithm, data }, header, body };
}

/** How many fields, and so leaves of the Merkle tree, a body has. */
export function fieldCount({ extensions, transcriptCommitments }: AttestationBody): number {
  return SINGLE_FIELDS + extensions.length + transcriptCommitments.length;
}
