/** Checks signatures of notaries by Node's own cryptography. */
import { createPublicKey, getCurves, verify } from 'node:crypto';
import type { SignatureVerifier } from '../../core/ports/signature-verifier.ts';
import { javascriptSignatures } from '../../core/web-proof/tlsnotary/javascript-signatures.ts';

/** What stands before a compressed point in a SubjectPublicKeyInfo. */
const KEY_PREFIX = {
  secp256k1: Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'),
  p256: Buffer.from('3039301306072a8648ce3d020106082a8648ce3d030107032200', 'hex'),
} as const;

/** A verifier that falls back to JavaScript for a curve that this build of Node does not have. */
export function createNodeSignatureVerifier(): SignatureVerifier {
  const curves = getCurves();
  const native = { secp256k1: curves.includes('secp256k1'), p256: curves.includes('prime256v1') };
  return {
    verifyEcdsa(curve, key, message, signature) {
      if (!native[curve]) return javascriptSignatures.verifyEcdsa(curve, key, message, signature);
      try {
        const spki = createPublicKey({ key: Buffer.concat([KEY_PREFIX[curve], key]), format: 'der', type: 'spki' });
        return verify('sha256', message, { key: spki, dsaEncoding: 'ieee-p1363' }, signature);
      } catch {
        return false;
      }
    },
  };
}
