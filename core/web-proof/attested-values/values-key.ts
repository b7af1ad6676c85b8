/**
 * The notary's second key: EdDSA on BabyJubJub with Poseidon, which a circuit can check cheaply. It is derived from the
 * notary's secp256k1 key, so there is one secret to keep. That key signs it, so a verifier that knows the notary knows it.
 */

import { babyjubjub } from '@noble/curves/misc.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { toBytes32, toInteger } from './field-bytes.ts';
import { FIELD_ORDER, poseidon } from './poseidon.ts';

const { Point } = babyjubjub;
const ORDER = Point.Fn.ORDER;
const BINDING_DOMAIN = keccak_256(utf8ToBytes('credence.values-key.v1'));

/** The affine coordinates of a BabyJubJub key. */
export interface ValuesPublicKey {
  readonly x: bigint;
  readonly y: bigint;
}

/** An EdDSA signature: the nonce point and the scalar `S * B = R8 + 8 * h * A`, as circomlib checks it. */
export interface ValuesSignature {
  readonly r8x: bigint;
  readonly r8y: bigint;
  readonly s: bigint;
}

/** A secp256k1 signature as `ecrecover` takes it: `s` in the lower half of the order, `v` 27 or 28. */
export interface BindingSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly v: number;
}

/** What signs trees for a notary. */
export interface ValuesSigner {
  readonly publicKey: ValuesPublicKey;
  /** The notary's own signature over `publicKey`. */
  readonly binding: BindingSignature;
  /** Signs a field element. Deterministic: the nonce is derived from the key and the message. */
  sign(message: bigint): ValuesSignature;
}

/** The 32 bytes that a notary signs with its secp256k1 key to vouch for `key`. */
export function bindingDigest(key: ValuesPublicKey): Uint8Array {
  return keccak_256(concatBytes(BINDING_DOMAIN, toBytes32(key.x), toBytes32(key.y)));
}

/** The values key of the notary with this secp256k1 secret (32 bytes), and the signature that binds it. */
export function createValuesSigner(notarySecretKey: Uint8Array): ValuesSigner {
  const expand = (info: string) => hkdf(sha256, notarySecretKey, undefined, utf8ToBytes(info), 64);
  // 512 bits reduced modulo a 251-bit order: the bias is negligible.
  const scalar = (toInteger(expand('credence.values-key.v1 scalar')) % (ORDER - 1n)) + 1n;
  const noncePrefix = expand('credence.values-key.v1 nonce');
  const point = Point.BASE.multiply(scalar).toAffine();
  const publicKey: ValuesPublicKey = { x: point.x, y: point.y };
  const signed = secp256k1.sign(bindingDigest(publicKey), notarySecretKey, { prehash: false, format: 'recovered' });
  const binding: BindingSignature = {
    r: toInteger(signed.subarray(1, 33)),
    s: toInteger(signed.subarray(33, 65)),
    v: 27 + (signed[0] ?? 0),
  };
  return {
    publicKey,
    binding,
    sign(message) {
      const nonce = toInteger(hmac(sha512, noncePrefix, toBytes32(message))) % ORDER;
      const r8 = Point.BASE.multiply(nonce === 0n ? 1n : nonce).toAffine();
      const challenge = poseidon([r8.x, r8.y, publicKey.x, publicKey.y, message]);
      return { r8x: r8.x, r8y: r8.y, s: ((nonce === 0n ? 1n : nonce) + 8n * challenge * scalar) % ORDER };
    },
  };
}

/** True when `signature` over `message` was made with the secret of `key`; checks what the circuit checks. */
export function verifyValuesSignature(key: ValuesPublicKey, message: bigint, signature: ValuesSignature): boolean {
  if (signature.s >= ORDER || !isField(message)) return false;
  const a = pointOf(key.x, key.y);
  const r8 = pointOf(signature.r8x, signature.r8y);
  if (a === undefined || r8 === undefined || a.clearCofactor().is0()) return false;
  const challenge = poseidon([signature.r8x, signature.r8y, key.x, key.y, message]) % ORDER;
  const left = Point.BASE.multiplyUnsafe(signature.s);
  return left.equals(r8.add(a.clearCofactor().multiplyUnsafe(challenge)));
}

/** True when the notary with this compressed secp256k1 key (33 bytes) signed `key`. */
export function verifyBinding(notaryKey: Uint8Array, key: ValuesPublicKey, binding: BindingSignature): boolean {
  if (binding.v !== 27 && binding.v !== 28) return false;
  const bytes = concatBytes(Uint8Array.of(binding.v - 27), toBytes32(binding.r), toBytes32(binding.s));
  try {
    const recovered = secp256k1.recoverPublicKey(bytes, bindingDigest(key), { prehash: false });
    const lowS = !secp256k1.Signature.fromBytes(bytes.subarray(1), 'compact').hasHighS();
    return lowS && toInteger(recovered) === toInteger(notaryKey) && recovered.length === notaryKey.length;
  } catch {
    return false;
  }
}

function isField(value: bigint): boolean {
  return value >= 0n && value < FIELD_ORDER;
}

function pointOf(x: bigint, y: bigint): InstanceType<typeof Point> | undefined {
  if (!isField(x) || !isField(y)) return undefined;
  const point = Point.fromAffine({ x, y });
  try {
    point.assertValidity();
    return point;
  } catch {
    return undefined;
  }
}
