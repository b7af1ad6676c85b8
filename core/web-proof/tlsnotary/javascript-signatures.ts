import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { SignatureVerifier } from '../../ports/signature-verifier.ts';

/** Checks signatures in JavaScript: runs everywhere, and takes four times as long as native code. */
export const javascriptSignatures: SignatureVerifier = {
  verifyEcdsa: (curve, key, message, signature) =>
    (curve === 'secp256k1' ? secp256k1 : p256).verify(signature, message, key, { lowS: false }),
};
