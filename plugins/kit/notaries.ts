/** What packages with notaries of their own import besides the kit: proven HTTP messages, redaction, and the codec of TLSNotary. */
export { connectChecked, createEgressGuard } from '../../adapters/egress-guard/index.ts';
export { joinBytes } from '../../core/join-bytes.ts';
export { parseJson } from '../../core/json-reader.ts';
export { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
export { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
export { blindExtension } from '../../core/web-proof/blind-extension.ts';
export { readJson, UnreadableJsonError } from '../../core/web-proof/extraction/read-json.ts';
export { type HttpRequest, headersNamed } from '../../core/web-proof/http/message.ts';
export { parseRequest } from '../../core/web-proof/http/parse-request.ts';
export { parseResponse } from '../../core/web-proof/http/parse-response.ts';
export { requestAddress } from '../../core/web-proof/http/request-host.ts';
export { decodeUtf8 } from '../../core/web-proof/http/text.ts';
export { checkRequest } from '../../core/web-proof/notarize/check-request.ts';
export { type AttestationExtensions, type NotarizeDeps, readRevealed } from '../../core/web-proof/notarize/notarize.ts';
export { writeRequest } from '../../core/web-proof/notarize/request-message.ts';
export { notaryLabel } from '../../core/web-proof/notary-label.ts';
export { notarizeRequestSchema, policyOf } from '../../core/web-proof/prove-request.ts';
export { type RevealedRanges, redactExchange, revealedOfRequest } from '../../core/web-proof/redaction/redact.ts';
export { signAttestation } from '../../core/web-proof/tlsnotary/attestation.ts';
export { type AttestationSigner, createSecp256k1Signer } from '../../core/web-proof/tlsnotary/attestation-signer.ts';
export { blake3 } from '../../core/web-proof/tlsnotary/blake3.ts';
export { buildPresentation } from '../../core/web-proof/tlsnotary/build.ts';
export { decodePresentation } from '../../core/web-proof/tlsnotary/decode.ts';
export { encodeAttestation } from '../../core/web-proof/tlsnotary/encode.ts';
export { HASH_LENGTH, hashFunction } from '../../core/web-proof/tlsnotary/hash-algorithms.ts';
export type {
  CertificateOpening,
  EncodingCommitment,
  EphemeralKey,
  TypedHash,
} from '../../core/web-proof/tlsnotary/presentation.ts';
export { type ByteRange, isCanonical, sameRanges, sliceRanges } from '../../core/web-proof/tlsnotary/ranges.ts';
export { Reader } from '../../core/web-proof/tlsnotary/reader.ts';
export { isServerName } from '../../core/web-proof/tlsnotary/server-name.ts';
export { demand, sameBytes, untrue } from '../../core/web-proof/tlsnotary/verification-error.ts';
export { checkHandshake } from '../../core/web-proof/tlsnotary/verify-identity.ts';
export { verifyPresentation } from '../../core/web-proof/tlsnotary/verify-presentation.ts';
export { allVisible, layOut, type VisibleBytes } from '../../core/web-proof/tlsnotary/visible-bytes.ts';
