/** What verifies a web proof in this process. It needs the package pkijs, which other plugins do without. */
export { createNodeSignatureVerifier } from '../../adapters/node-signatures/index.ts';
export { createX509CertificateChecker } from '../../adapters/x509/index.ts';
export { createZlibContentDecoder } from '../../adapters/zlib-decoder/index.ts';
export { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
export { toVerifiedTranscriptV2 } from '../../core/web-proof/verified-transcript.ts';
export { createVerifyWebProof } from '../../core/web-proof/verify.ts';
export { webProofSchema } from '../../core/web-proof/web-proof.ts';
