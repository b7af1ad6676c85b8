import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
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

/** P-256 over SHA-256. The key is 32 bytes. */
export function createP256Signer(secretKey: Uint8Array): AttestationSigner {
  return {
    signatureAlgorithm: SIGNATURE.p256,
    verifyingKey: { algorithm: KEY.p256, data: p256.getPublicKey(secretKey, true) },
    sign: (header) => p256.sign(header, secretKey, { lowS: true }),
  };
}

/** Ethereum style: secp256k1 over Keccak-256, then 27 + recovery id. The key is 32 bytes. */
export function createEthereumSigner(secretKey: Uint8Array): AttestationSigner {
  return {
    signatureAlgorithm: SIGNATURE.secp256k1Ethereum,
    verifyingKey: { algorithm: KEY.secp256k1, data: secp256k1.getPublicKey(secretKey, true) },
    sign: (header) => {
      const recovered = secp256k1.sign(keccak_256(header), secretKey, {
        prehash: false,
        lowS: true,
        format: 'recovered',
      });
      // The library puts the recovery byte first, the format puts it last.
      const signature = new Uint8Array(65);
      signature.set(recovered.subarray(1));
      signature[64] = 27 + (recovered[0] ?? 0);
      return signature;
    },
  };
}
