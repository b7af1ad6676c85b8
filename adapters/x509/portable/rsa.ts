/** RSA signatures (RFC 8017) without a platform's cryptography: public values only, so that timing tells nothing. */
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';

export interface RsaKey {
  readonly modulus: bigint;
  readonly exponent: bigint;
}

export interface RsaHash {
  readonly digest: (message: Uint8Array) => Uint8Array;
  /** Bytes of a digest. */
  readonly length: number;
  /** What precedes the digest in a DigestInfo. */
  readonly digestInfo: Uint8Array;
}

/** Bits of a modulus. */
export function modulusBits({ modulus }: RsaKey): number {
  return modulus.toString(2).length;
}

/** Whether `signature` is a signature of `message`. False for what is out of range; never throws. */
export function verifyRsa(
  key: RsaKey,
  padding: 'pkcs1' | 'pss',
  hash: RsaHash,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const bits = modulusBits(key);
  const size = Math.ceil(bits / 8);
  const value = toInteger(signature);
  if (signature.length !== size || value >= key.modulus) return false;
  const encoded = toBytes(power(value, key.exponent, key.modulus), size);
  const digest = hash.digest(message);
  return padding === 'pkcs1' ? isPkcs1(encoded, hash, digest) : isPss(encoded, bits - 1, hash, digest);
}

/** By making what it must be, so that no forged padding is parsed. */
function isPkcs1(encoded: Uint8Array, { digestInfo }: RsaHash, digest: Uint8Array): boolean {
  const end = concatBytes(digestInfo, digest);
  const fill = encoded.length - end.length - 3;
  if (fill < 8) return false;
  return equal(encoded, concatBytes(Uint8Array.of(0, 1), new Uint8Array(fill).fill(0xff), Uint8Array.of(0), end));
}

/** EMSA-PSS-VERIFY with MGF1 of the same hash and a salt as long as a digest. */
function isPss(whole: Uint8Array, bits: number, hash: RsaHash, digest: Uint8Array): boolean {
  const size = Math.ceil(bits / 8);
  // One byte longer than the encoding if the modulus has one bit more than whole bytes.
  if (whole.subarray(0, whole.length - size).some((byte) => byte !== 0)) return false;
  const encoded = whole.subarray(whole.length - size);
  const maskedLength = size - hash.length - 1;
  if (size < 2 * hash.length + 2 || encoded.at(-1) !== 0xbc) return false;
  const seed = encoded.subarray(maskedLength, size - 1);
  const mask = generateMask(seed, maskedLength, hash);
  const block = encoded.subarray(0, maskedLength).map((byte, index) => byte ^ (mask[index] as number));
  const unused = 8 * size - bits;
  if ((encoded[0] as number) >> (8 - unused) !== 0) return false;
  block[0] = (block[0] as number) & (0xff >> unused);
  const zeros = maskedLength - hash.length - 1;
  if (block.subarray(0, zeros).some((byte) => byte !== 0) || block[zeros] !== 1) return false;
  return equal(seed, hash.digest(concatBytes(new Uint8Array(8), digest, block.subarray(zeros + 1))));
}

function generateMask(seed: Uint8Array, length: number, { digest, length: step }: RsaHash): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / step) }, (_, counter) =>
    digest(concatBytes(seed, Uint8Array.of(counter >>> 24, counter >>> 16, counter >>> 8, counter))),
  );
  return concatBytes(...blocks).subarray(0, length);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

/** The big-endian number that the bytes are. */
export function toInteger(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytesToHex(bytes)}`);
}

function toBytes(value: bigint, length: number): Uint8Array {
  return hexToBytes(value.toString(16).padStart(2 * length, '0'));
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
