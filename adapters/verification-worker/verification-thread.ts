/** The thread in which web proofs are verified. */
import { parentPort, workerData } from 'node:worker_threads';
import { isDomainError } from '../../core/errors.ts';
import { createTranscribe } from '../../core/web-proof/transcribe.ts';
import { createTrustedNotaries } from '../../core/web-proof/trusted-notaries.ts';
import { createVerifyWebProof } from '../../core/web-proof/verify.ts';
import { createNodeSignatureVerifier } from '../node-signatures/index.ts';
import { createX509CertificateChecker } from '../x509/index.ts';
import { createZlibContentDecoder } from '../zlib-decoder/index.ts';
import type { ThreadSettings, VerificationReply, VerificationTask } from './messages.ts';

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
