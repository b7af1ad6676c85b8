import type { CertificateChecker } from '../../ports/certificate-checker.ts';
import type { SignatureVerifier } from '../../ports/signature-verifier.ts';
import type { Extension, Presentation } from './presentation.ts';
import { verifyAttestation } from './verify-attestation.ts';
import { verifyIdentity } from './verify-identity.ts';
import { type VerifiedTranscript, verifyTranscript } from './verify-transcript.ts';

export interface VerifiedPresentation {
  readonly presentation: Presentation;
  readonly notaryKeyFingerprint: string;
  /** Unix seconds. */
  readonly time: number;
  /** In its one canonical form; null when the presentation names no server. */
  readonly serverName: string | null;
  readonly extensions: readonly Extension[];
  /** Null when the presentation shows no transcript. */
  readonly transcript: VerifiedTranscript | null;
}

/**
 * Checks everything that a presentation can prove. Whether the notary is a trusted one, and whether identity and
 * transcript must be there, is for the caller.
 * @throws DomainError `INTERNAL_SERVER_ERROR` naming the first failed check.
 */
export async function verifyPresentation(
  presentation: Presentation,
  certificates: CertificateChecker,
  signatures?: SignatureVerifier,
): Promise<VerifiedPresentation> {
  const { body, identity, transcript } = presentation;
  const { notaryKeyFingerprint } = verifyAttestation(presentation, signatures);
  const info = body.connectionInfo.value;
  const serverName = identity === null ? null : await verifyIdentity(identity, body, certificates);
  const commitments = body.transcriptCommitments.map((field) => field.value);
  return {
    presentation,
    notaryKeyFingerprint,
    time: info.time,
    serverName,
    extensions: body.extensions.map((field) => field.value),
    transcript: transcript === null ? null : verifyTranscript(transcript, info, commitments),
  };
}
