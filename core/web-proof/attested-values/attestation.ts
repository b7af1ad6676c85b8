/**
 * The record that a notary makes of a tree of commitments, and its 97-byte form: seed and signature (r, s, v). Integers are 32 bytes
 * big-endian; v is one byte. Nothing in it is secret: hidden data is never in the tree, so anyone with the presentation may
 * rebuild it.
 */

import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { buildCommitmentTree, type Commitments, type CommitmentTree } from './commitment-tree.ts';
import { type ValuesSignature, type ValuesSigner, verifyValuesSignature } from './values-signature.ts';

export const ATTESTATION_LENGTH = 97;
export const SEED_LENGTH = 32;

/** An attestation whose signature holds, with the tree rebuilt. */
export interface OpenedAttestation {
  readonly tree: CommitmentTree;
  /** Over the root of the tree. */
  readonly signature: ValuesSignature;
}

/** Why an attestation does not hold; for messages to the caller. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError';
}

/** Signs the tree of `commitments`. `seed` is 32 fresh random bytes. */
export function attestCommitments(signer: ValuesSigner, seed: Uint8Array, commitments: Commitments): Uint8Array {
  if (seed.length !== SEED_LENGTH) throw new RangeError('the seed has 32 bytes');
  const { root } = buildCommitmentTree(seed, commitments);
  const { r, s, v } = signer.sign(root);
  return concatBytes(seed, numberToBytesBE(r, 32), numberToBytesBE(s, 32), Uint8Array.of(v));
}

/**
 * Decodes `bytes`, rebuilds the tree from `commitments`, and checks the signature against the notary's compressed secp256k1 key.
 * Throws `AttestationError` if it does not hold.
 */
export function openAttestation(bytes: Uint8Array, notaryKey: Uint8Array, commitments: Commitments): OpenedAttestation {
  if (bytes.length !== ATTESTATION_LENGTH) {
    throw new AttestationError(`the attestation of values has ${bytes.length} bytes instead of ${ATTESTATION_LENGTH}`);
  }
  const seed = bytes.slice(0, SEED_LENGTH);
  const signature = {
    r: bytesToNumberBE(bytes.subarray(32, 64)),
    s: bytesToNumberBE(bytes.subarray(64, 96)),
    v: bytes[96] ?? 0,
  };
  const tree = buildCommitmentTree(seed, commitments);
  if (!verifyValuesSignature(notaryKey, tree.root, signature)) {
    throw new AttestationError('the notary did not sign these values');
  }
  return { tree, signature };
}
