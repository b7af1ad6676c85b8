/** Many web proofs at once (facts, "Newer than the specification"). */
import { z } from 'zod';
import { type ErrorCode, isDomainError } from '../errors.ts';
import { isHexData, type VerifiedWebProof, type VerifyWebProof, webProofSchema } from './verify.ts';

export const MAX_BATCH = 32;

const batchedProof = z.strictObject({ ...webProofSchema.shape, id: z.string().min(1).max(200).optional() });

export const verifyBatchSchema = z.strictObject({ proofs: z.array(batchedProof).min(1).max(MAX_BATCH) });

export type BatchedProof = z.infer<typeof batchedProof>;

export type BatchVerdict = { readonly index: number; readonly id?: string } & (
  | { readonly success: true; readonly data: VerifiedWebProof }
  | { readonly success: false; readonly error: { readonly code: ErrorCode; readonly message: string } }
);

export type VerifyBatch = (proofs: readonly BatchedProof[], signal: AbortSignal) => Promise<readonly BatchVerdict[]>;

/**
 * Verifies one proof after the other, letting other work in between; results in input order. Unlike in a single verify,
 * `data` that is not hex is `INVALID_REQUEST`. Stops with the signal's reason when the caller goes away.
 */
export function createVerifyBatch(verify: VerifyWebProof): VerifyBatch {
  return async (proofs, signal) => {
    const verdicts: BatchVerdict[] = [];
    for (const [index, { id, ...proof }] of proofs.entries()) {
      signal.throwIfAborted();
      const label = id === undefined ? { index } : { index, id };
      if (!isHexData(proof.data)) {
        const error = { code: 'INVALID_REQUEST', message: 'data is not hex digits in pairs.' } as const;
        verdicts.push({ ...label, success: false, error });
        continue;
      }
      verdicts.push({ ...label, ...(await verdictOf(() => verify(proof))) });
    }
    return verdicts;
  };
}

async function verdictOf(verify: () => Promise<VerifiedWebProof>) {
  try {
    return { success: true as const, data: await verify() };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return { success: false as const, error: { code: error.code, message: error.message } };
  }
}
