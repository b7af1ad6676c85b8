/**
 * The record that a notary signs over a tree of claims, and its 289-byte form. That is seed, root, values key (x, y), signature
 * (r8x, r8y, s), binding signature (r, s, v). Integers are 32 bytes big-endian, v is one byte. Nothing in it is secret: hidden
 * data is never in the tree, so anyone with the presentation may rebuild it.
 */

import { concatBytes } from '@noble/hashes/utils.js';
import { type ClaimTree, claimTreeSteps } from './claim-tree.ts';
import { toBytes32, toInteger } from './field-bytes.ts';
import { FIELD_ORDER, poseidon } from './poseidon.ts';
import { atOnce, type Steps } from './steps.ts';
import {
  type BindingSignature,
  type ValuesPublicKey,
  type ValuesSignature,
  type ValuesSigner,
  verifyBinding,
  verifyValuesSignature,
} from './values-key.ts';

/** "credence.attested-values.v1" as an integer; a constant of the circuit. */
const ROOT_DOMAIN = toInteger(new TextEncoder().encode('credence.attested-values.v1'));

export const ATTESTATION_LENGTH = 289;
const SEED_LENGTH = 32;

export interface ValuesAttestation {
  readonly seed: Uint8Array;
  readonly root: bigint;
  readonly key: ValuesPublicKey;
  readonly signature: ValuesSignature;
  readonly binding: BindingSignature;
}

/** An attestation whose signatures hold, with the tree rebuilt. */
export interface OpenedAttestation {
  readonly attestation: ValuesAttestation;
  readonly tree: ClaimTree;
}

/** Why an attestation does not hold; for messages to the caller. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError';
}

/** Signs the tree of `claims`. `seed` is 32 fresh random bytes. */
export function attestClaims(signer: ValuesSigner, seed: Uint8Array, claims: readonly bigint[]): Uint8Array {
  return atOnce(attestingSteps(signer, seed, claims));
}

/** `attestClaims` in steps. */
export function* attestingSteps(signer: ValuesSigner, seed: Uint8Array, claims: readonly bigint[]): Steps<Uint8Array> {
  if (seed.length !== SEED_LENGTH) throw new RangeError('the seed has 32 bytes');
  const { root } = yield* claimTreeSteps(seed, claims);
  const signature = signer.sign(poseidon([ROOT_DOMAIN, root]));
  return encode({ seed, root, key: signer.publicKey, signature, binding: signer.binding });
}

/**
 * Decodes `bytes`, rebuilds the tree from `claims`, and checks root, signature and binding against the notary's compressed
 * secp256k1 key. Throws `AttestationError` naming the first check that fails.
 */
export function openAttestation(
  bytes: Uint8Array,
  notaryKey: Uint8Array,
  claims: readonly bigint[],
): OpenedAttestation {
  return atOnce(openingSteps(bytes, notaryKey, claims));
}

/** `openAttestation` in steps. */
export function* openingSteps(
  bytes: Uint8Array,
  notaryKey: Uint8Array,
  claims: readonly bigint[],
): Steps<OpenedAttestation> {
  const attestation = decode(bytes);
  if (!verifyBinding(notaryKey, attestation.key, attestation.binding)) {
    throw new AttestationError('the notary did not sign the key that signed the values');
  }
  const message = poseidon([ROOT_DOMAIN, attestation.root]);
  if (!verifyValuesSignature(attestation.key, message, attestation.signature)) {
    throw new AttestationError('the signature over the values is wrong');
  }
  const tree = yield* claimTreeSteps(attestation.seed, claims);
  if (tree.root !== attestation.root) throw new AttestationError('the signed values are not those of the response');
  return { attestation, tree };
}

function encode(attestation: ValuesAttestation): Uint8Array {
  const { seed, root, key, signature, binding } = attestation;
  const integers = [root, key.x, key.y, signature.r8x, signature.r8y, signature.s, binding.r, binding.s];
  return concatBytes(seed, ...integers.map(toBytes32), Uint8Array.of(binding.v));
}

function decode(bytes: Uint8Array): ValuesAttestation {
  if (bytes.length !== ATTESTATION_LENGTH) {
    throw new AttestationError(`the attestation of values has ${bytes.length} bytes instead of ${ATTESTATION_LENGTH}`);
  }
  const integer = (index: number) => toInteger(bytes.subarray(32 * (index + 1), 32 * (index + 2)));
  const root = integer(0);
  if (root >= FIELD_ORDER) throw new AttestationError('the root of the values is not a field element');
  return {
    seed: bytes.slice(0, SEED_LENGTH),
    root,
    key: { x: integer(1), y: integer(2) },
    signature: { r8x: integer(3), r8y: integer(4), s: integer(5) },
    binding: { r: integer(6), s: integer(7), v: bytes[ATTESTATION_LENGTH - 1] ?? 0 },
  };
}
