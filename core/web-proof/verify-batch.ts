/** Verifies many web proofs at once (docs/specification/web-proofs.md#endpoints). */
import { z } from 'zod';
import { DomainError, type ErrorCode, isDomainError } from '../errors.ts';
import type { Transcripts } from '../ports/transcripts.ts';
import type { VerifiedTranscriptV2 } from './verified-transcript.ts';
import { type WebProof, webProofSchema } from './web-proof.ts';
import { isHexData } from './web-proof-format.ts';

export const MAX_BATCH = 32;

/** Most bytes of JSON that the transcripts of one batch come to: 512 KiB for each of the largest batch. */
export const MAX_BATCH_RESULTS = 16 * 1024 * 1024;

const batchedProof = z.strictObject({ ...webProofSchema.shape, id: z.string().min(1).max(200).optional() });

export const verifyBatchSchema = z.strictObject({ proofs: z.array(batchedProof).min(1).max(MAX_BATCH) });

export type BatchedProof = z.infer<typeof batchedProof>;

export type BatchVerdict = { readonly index: number; readonly id?: string } & (
  | { readonly success: true; readonly data: VerifiedTranscriptV2 }
  | { readonly success: false; readonly error: { readonly code: ErrorCode; readonly message: string } }
);

export type VerifyBatch = (
  proofs: readonly BatchedProof[],
  call: { readonly signal: AbortSignal; readonly caller: string; readonly hold?: (bytes: number) => void },
) => Promise<readonly BatchVerdict[]>;

/**
 * Verifies one proof after the other, letting other work in between; results in input order. Unlike in a single verify,
 * `data` that is not hex is `INVALID_REQUEST`. A transcript without room beside the others, by `MAX_BATCH_RESULTS` or by
 * what `hold` throws, is an error of its own. Smaller ones after it may still fit. Stops with the signal's reason when the
 * caller goes away. Throws `SERVICE_UNAVAILABLE` if too many batches wait to be verified.
 */
export function createVerifyBatch({ transcripts }: { readonly transcripts: Transcripts }): VerifyBatch {
  return (proofs, { signal, caller, hold }) => {
    const size = proofs.reduce((sum, { data }) => sum + data.length, 0);
    return transcripts.run({ size, proofs: proofs.length, caller, signal }, async (transcribe) => {
      let left = MAX_BATCH_RESULTS;
      const transcriptOf = async (proof: WebProof): Promise<VerifiedTranscriptV2> => {
        if (!isHexData(proof.data)) throw new DomainError('INVALID_REQUEST', 'data is not hex digits in pairs.');
        const { transcript, bytes } = await transcribe(proof, 'v2');
        if (bytes > left) throw tooLarge();
        hold?.(bytes);
        left -= bytes;
        return transcript;
      };
      const verdicts: BatchVerdict[] = [];
      for (const [index, { id, ...proof }] of proofs.entries()) {
        signal.throwIfAborted();
        const label = id === undefined ? { index } : { index, id };
        verdicts.push({ ...label, ...(await verdictOf(transcriptOf(proof))) });
      }
      return verdicts;
    });
  };
}

function tooLarge(): DomainError {
  return new DomainError(
    'PAYLOAD_TOO_LARGE',
    `The transcripts of one batch come to at most ${MAX_BATCH_RESULTS} bytes of JSON: verify this proof on its own.`,
  );
}

async function verdictOf(transcript: Promise<VerifiedTranscriptV2>) {
  try {
    return { success: true as const, data: await transcript };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return { success: false as const, error: { code: error.code, message: error.message } };
  }
}
