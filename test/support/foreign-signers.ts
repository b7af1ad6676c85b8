/** How notaries sign that are not ours. */
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { type AttestationSigner, KEY, SIGNATURE } from '../../core/web-proof/tlsnotary/attestation-signer.ts';

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
      const form = { prehash: false, lowS: true, format: 'recovered' } as const;
      const recovered = secp256k1.sign(keccak_256(header), secretKey, form);
      // The library puts the recovery byte first, the format puts it last.
      const signature = new Uint8Array(65);
      signature.set(recovered.subarray(1));
      signature[64] = 27 + (recovered[0] ?? 0);
      return signature;
    },
  };
}
