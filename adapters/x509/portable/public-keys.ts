/** Public keys of certificates, and the signatures that they check, in JavaScript. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384 } from '@noble/curves/nist.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import type { SignatureScheme } from '../../../core/web-proof/tlsnotary/signature-schemes.ts';
import { expectTag, hex, readBitString, readElements, readNonNegative, readSingle, TAG } from '../der.ts';
import { modulusBits, type RsaHash, type RsaKey, toInteger, verifyRsa } from './rsa.ts';

/** How something is signed, apart from the key. */
export type SigningMethod = Pick<SignatureScheme, 'key' | 'padding' | 'hash'>;

type Key =
  | { readonly kind: 'rsa'; readonly rsa: RsaKey }
  | { readonly kind: 'ec'; readonly curve: 'p256' | 'p384'; readonly point: Uint8Array }
  | { readonly kind: 'ed25519'; readonly point: Uint8Array };

/** A public key of a certificate. */
export interface CertificateKey {
  /** RSA of 2048 to 8192 bits, P-256, P-384 or Ed25519. */
  readonly isStrong: boolean;
  /** Whether the key made this signature by this method. Never throws for hostile input. */
  verify(method: SigningMethod, message: Uint8Array, signature: Uint8Array): boolean;
}

const DIGEST_INFO = '300d06096086480165030402';
const HASHES: Readonly<Record<'sha256' | 'sha384' | 'sha512', RsaHash>> = {
  sha256: { digest: sha256, length: 32, digestInfo: digestInfo(0x31, '01', 32) },
  sha384: { digest: sha384, length: 48, digestInfo: digestInfo(0x41, '02', 48) },
  sha512: { digest: sha512, length: 64, digestInfo: digestInfo(0x51, '03', 64) },
};
const CURVES = { p256, p384 } as const;

const RSA = '06092a864886f70d0101010500';
const EC: Readonly<Record<string, 'p256' | 'p384'>> = {
  '06072a8648ce3d020106082a8648ce3d030107': 'p256',
  '06072a8648ce3d020106052b81040022': 'p384',
};
const ED25519 = '06032b6570';

function digestInfo(length: number, algorithm: string, digest: number): Uint8Array {
  const [outer, inner] = [length, digest].map((byte) => byte.toString(16).padStart(2, '0'));
  return hexToBytes(`30${outer}${DIGEST_INFO}${algorithm}050004${inner}`);
}

/** Reads a SubjectPublicKeyInfo. Other kinds of keys are weak ones. @throws DerError */
export function readCertificateKey(publicKey: Uint8Array): CertificateKey {
  const [algorithm, value] = readElements(readSingle(publicKey, TAG.sequence).content);
  const key = keyOf(hex(expectTag(algorithm, TAG.sequence).content), readBitString(value));
  return {
    isStrong: key !== null && isStrong(key),
    verify: (method, message, signature) => key !== null && holds(key, method, message, signature),
  };
}

function keyOf(algorithm: string, bytes: Uint8Array): Key | null {
  const curve = Object.hasOwn(EC, algorithm) ? EC[algorithm] : undefined;
  if (curve !== undefined) return { kind: 'ec', curve, point: bytes };
  if (algorithm === ED25519) return { kind: 'ed25519', point: bytes };
  if (algorithm !== RSA) return null;
  const [modulus, exponent] = readElements(readSingle(bytes, TAG.sequence).content).map(readNonNegative).map(toInteger);
  return modulus === undefined || exponent === undefined ? null : { kind: 'rsa', rsa: { modulus, exponent } };
}

function isStrong(key: Key): boolean {
  if (key.kind !== 'rsa') return true;
  const bits = modulusBits(key.rsa);
  return bits >= 2048 && bits <= 8192;
}

function holds(
  key: Key,
  { key: kind, padding, hash }: SigningMethod,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (kind !== key.kind) return false;
  try {
    if (key.kind === 'ed25519') return ed25519.verify(signature, message, key.point, { zip215: false });
    if (hash === null) return false;
    if (key.kind === 'rsa') return padding !== null && verifyRsa(key.rsa, padding, HASHES[hash], message, signature);
    const digest = HASHES[hash].digest(message);
    return CURVES[key.curve].verify(signature, digest, key.point, { format: 'der', prehash: false, lowS: false });
  } catch {
    // The library throws for points off the curve and malformed signatures.
    return false;
  }
}
