/** What the main thread and a verification thread say to each other. */
import type { Transcript, TranscriptShapes } from '../../core/ports/transcripts.ts';
import type { WebProof } from '../../core/web-proof/verify.ts';

/** What a thread verifies by. Whether a notary is trusted is not its to say: the list may change. */
export interface ThreadSettings {
  /** Roots that are trusted besides those of Node: PEM or DER. */
  readonly extraRoots: readonly (string | Uint8Array)[];
}

export interface VerificationTask {
  readonly proof: WebProof;
  readonly shape: keyof TranscriptShapes;
}

export type VerificationReply =
  | { readonly kind: 'verified'; readonly result: Transcript<keyof TranscriptShapes> }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** A defect. */
  | { readonly kind: 'failed'; readonly message: string; readonly stack: string | undefined };
