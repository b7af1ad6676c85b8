import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { VerifyingKey } from './presentation.ts';

/** The numbers of signature algorithms and of the keys they need. */
export const SIGNATURE = { secp256k1: 1, p256: 2, secp256k1Ethereum: 3 } as const;
export const KEY = { secp256k1: 1, p256: 2 } as const;

/** Holds the notary's key. `sign` gets the header's bytes, not their hash. */
export interface AttestationSigner {
  readonly signatureAlgorithm: number;
  readonly verifyingKey: VerifyingKey;
  sign(header: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Signs like the official notary: secp256k1 over SHA-256, low s, deterministic nonce. The key is 32 bytes. */
export function createSecp256k1Signer(secretKey: Uint8Array): AttestationSigner {
  return {
    signatureAlgorithm: SIGNATURE.secp256k1,
    verifyingKey: { algorithm: KEY.secp256k1, data: secp256k1.getPublicKey(secretKey, true) },
    sign: (header) => secp256k1.sign(header, secretKey, { lowS: true }),
  };
}
