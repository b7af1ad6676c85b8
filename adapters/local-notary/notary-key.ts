import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { KeyFileError, loadKeyFile } from '../key-file/index.ts';
import { NOT_A_SECRET } from './notary-secret.ts';

/** A notary's secp256k1 key. Keep the secret out of logs and errors. */
export interface NotaryKey {
  /** 32 bytes. */
  readonly secretKey: Uint8Array;
  /** Compressed SEC1 point, 33 bytes. */
  readonly publicKey: Uint8Array;
  /** SHA-256 of the public key, lower-case hex: what verifiers compare. */
  readonly fingerprint: string;
}

/** @throws Error when the 32 bytes are not a secp256k1 key. */
export function notaryKey(secretKey: Uint8Array): NotaryKey {
  if (!secp256k1.utils.isValidSecretKey(secretKey)) throw new Error('The notary key is not a secp256k1 secret key.');
  const publicKey = secp256k1.getPublicKey(secretKey, true);
  return { secretKey, publicKey, fingerprint: bytesToHex(sha256(publicKey)) };
}

/** A key that is kept nowhere. */
export function freshNotaryKey(): NotaryKey {
  return notaryKey(secp256k1.utils.randomSecretKey());
}

/** ASN.1 before an uncompressed point of secp256k1: a SubjectPublicKeyInfo. */
const SPKI_PREFIX = hexToBytes('3056301006072a8648ce3d020106052b8104000a034200');
const PEM_LINE = /.{1,64}/g;

/** A public key in PEM, as notaries of TLSNotary publish it. @param publicKey compressed */
export function publicKeyPem(publicKey: Uint8Array): string {
  const point = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const lines = Buffer.concat([SPKI_PREFIX, point]).toString('base64').match(PEM_LINE) ?? [];
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n');
}

/**
 * The key in this file: 64 hex digits, mode 0600; made on first use.
 * @throws KeyFileError when others may read the file or it does not hold a key.
 */
export function loadNotaryKey(path: string): NotaryKey {
  const secretKey = loadKeyFile({ path, generate: () => secp256k1.utils.randomSecretKey() });
  if (!secp256k1.utils.isValidSecretKey(secretKey))
    throw new KeyFileError(`The key file ${path} holds no key of a notary: it ${NOT_A_SECRET}, in hex.`);
  return notaryKey(secretKey);
}
