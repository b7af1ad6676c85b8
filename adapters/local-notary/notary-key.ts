import { createPublicKey } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
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

/** A public key in PEM, as notaries of TLSNotary publish it. @param publicKey compressed */
export function publicKeyPem(publicKey: Uint8Array): string {
  const point = Buffer.from(secp256k1.Point.fromBytes(publicKey).toBytes(false));
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((coordinate) => coordinate.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
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
