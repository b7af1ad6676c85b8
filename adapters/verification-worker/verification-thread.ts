/** The thread in which web proofs are verified. */
import { parentPort, workerData } from 'node:worker_threads';
import { isDomainError } from '../../core/errors.ts';
import type { Transcript, TranscriptShapes } from '../../core/ports/transcripts.ts';
import { createTranscribe } from '../../core/web-proof/transcribe.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof, type WebProof } from '../../core/web-proof/verify.ts';
import { createNodeSignatureVerifier } from '../node-signatures/index.ts';
import { createX509CertificateChecker } from '../x509/index.ts';
import { createZlibContentDecoder } from '../zlib-decoder/index.ts';

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

const { extraRoots } = workerData as ThreadSettings;

const transcribe = createTranscribe(
  createVerifyWebProof({
    certificates: createX509CertificateChecker({ extraRoots: [...extraRoots] }),
    decoder: createZlibContentDecoder(),
    trustedNotaries: createTrustedNotaries([]),
    signatures: createNodeSignatureVerifier(),
  }),
);

async function replyTo({ proof, shape }: VerificationTask): Promise<VerificationReply> {
  try {
    return { kind: 'verified', result: await transcribe(proof, shape) };
  } catch (error) {
    if (isDomainError(error)) return { kind: 'refused', code: error.code, message: error.message };
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { kind: 'failed', message, stack };
  }
}

parentPort?.on('message', async (task: VerificationTask) => parentPort?.postMessage(await replyTo(task)));

// It is loaded.
parentPort?.postMessage('ready');
