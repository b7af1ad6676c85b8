import { describe, expect, it } from 'vitest';
import { createTranscriptsInProcess } from '../../../../core/web-proof/transcribe.ts';
import type { VerifyWebProof, WebProof } from '../../../../core/web-proof/verify.ts';
import { createVerifyBatch, MAX_BATCH, verifyBatchSchema } from '../../../../core/web-proof/verify-batch.ts';
import { verifiedProof } from '../../../support/verified-proof.ts';

const proof = (data: string): WebProof => ({ data, version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } });
const { signal } = new AbortController();
const caller = 'token:1';
const batchBy = (verify: VerifyWebProof) => createVerifyBatch({ transcripts: createTranscriptsInProcess(verify) });

describe('a batch of web proofs', () => {
  it('has no verdicts when something breaks that is not the proof', async () => {
    const asked: WebProof[] = [];
    const verifyBatch = batchBy(async (webProof) => {
      asked.push(webProof);
      throw new TypeError('a defect');
    });
    await expect(verifyBatch([proof('aa'), proof('bb')], { signal, caller })).rejects.toThrow('a defect');
    expect(asked).toHaveLength(1);
  });

  it('stops when the caller goes away', async () => {
    const gone = new AbortController();
    const asked: string[] = [];
    const verifyBatch = batchBy(async ({ data }) => {
      asked.push(data);
      gone.abort(new Error('gone'));
      return verifiedProof();
    });
    await expect(verifyBatch([proof('aa'), proof('bb')], { signal: gone.signal, caller })).rejects.toThrow('gone');
    expect(asked).toEqual(['aa']);
  });

  it.each([
    ['one proof', [proof('aa')], true],
    ['as many as allowed', Array(MAX_BATCH).fill(proof('aa')), true],
    ['a label of 200 characters', [{ ...proof('aa'), id: 'x'.repeat(200) }], true],
    ['none', [], false],
    ['one more than allowed', Array(33).fill(proof('aa')), false],
    ['an empty label', [{ ...proof('aa'), id: '' }], false],
    ['a longer label', [{ ...proof('aa'), id: 'x'.repeat(201) }], false],
    ['a member that no proof has', [{ ...proof('aa'), extra: 1 }], false],
    ['no data', [{ ...proof('aa'), data: undefined }], false],
  ])('may be %s: %#', (_title, proofs, accepted) => {
    expect(verifyBatchSchema.safeParse({ proofs }).success).toBe(accepted);
    expect(verifyBatchSchema.safeParse({ proofs, extra: 1 }).success).toBe(false);
  });
});
