/** A verifier of web proofs that trusts a test authority. */
import { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
import { createX509CertificateChecker } from '../../adapters/x509/index.ts';
import { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';

/** @param fingerprints of the notaries to trust; none: every notary */
export function testVerifier(root: { readonly pem: string }, fingerprints: readonly string[] = []) {
  const certificates = createX509CertificateChecker({ extraRoots: [root.pem], nodeRoots: false });
  const decoder = createZlibContentDecoder();
  const verify = createVerifyWebProof({
    certificates,
    decoder,
    trustedNotaries: createTrustedNotaries(fingerprints.map((fingerprint) => ({ fingerprint }))),
    signatures: createNodeSignatureVerifier(),
  });
  return { certificates, decoder, verify };
}
