/**
 * The notary's signature over a tree of values: ECDSA with its own secp256k1 key over the tree's root. A contract can check this
 * form with `ecrecover`. The circuit has no signature in it: the root is one of its public inputs.
 */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { sameBytes } from '../tlsnotary/verification-error.ts';

/** No other message that a notary signs begins like this. */
const DOMAIN = keccak_256(utf8ToBytes('credence.attested-values.v3'));
const SCALAR_LENGTH = 32;

/** A secp256k1 signature as `ecrecover` takes it: `s` in the lower half of the order, `v` 27 or 28. */
export interface ValuesSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly v: number;
}

/** What signs trees for a notary. */
export interface ValuesSigner {
  /** Signs the root of a tree. Deterministic (RFC 6979). */
  sign(root: bigint): ValuesSignature;
}

/** The 32 bytes that a notary signs for the tree with this root: keccak(keccak(domain), root). */
export function valuesDigest(root: bigint): Uint8Array {
  return keccak_256(concatBytes(DOMAIN, numberToBytesBE(root, 32)));
}

/** The signer of the notary with this secp256k1 secret (32 bytes). */
export function createValuesSigner(notarySecretKey: Uint8Array): ValuesSigner {
  return {
    sign(root) {
      const signed = secp256k1.sign(valuesDigest(root), notarySecretKey, { prehash: false, format: 'recovered' });
      return {
        r: bytesToNumberBE(signed.subarray(1, 1 + SCALAR_LENGTH)),
        s: bytesToNumberBE(signed.subarray(1 + SCALAR_LENGTH)),
        v: 27 + (signed[0] ?? 0),
      };
    },
  };
}

/** True if the notary with this compressed secp256k1 key (33 bytes) signed the tree with this root. */
export function verifyValuesSignature(notaryKey: Uint8Array, root: bigint, signature: ValuesSignature): boolean {
  const { r, s, v } = signature;
  if (v !== 27 && v !== 28) return false;
  const bytes = concatBytes(Uint8Array.of(v - 27), numberToBytesBE(r, 32), numberToBytesBE(s, 32));
  try {
    const recovered = secp256k1.recoverPublicKey(bytes, valuesDigest(root), { prehash: false });
    const lowS = !secp256k1.Signature.fromBytes(bytes.subarray(1), 'compact').hasHighS();
    return lowS && sameBytes(recovered, notaryKey);
  } catch {
    return false;
  }
}
