import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../../core/errors.ts';
import type { VerifiedWebProof, VerifyWebProof, WebProof } from '../../../../core/web-proof/verify.ts';
import { createVerifyBatch, MAX_BATCH, verifyBatchSchema } from '../../../../core/web-proof/verify-batch.ts';
import { verifiedProof } from '../../../support/verified-proof.ts';

const proof = (data: string): WebProof => ({ data, version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } });
const { signal } = new AbortController();

/** A verifier that knows these answers by the data of the proof. */
function verifier(answers: Readonly<Record<string, VerifiedWebProof | Error>>) {
  const asked: WebProof[] = [];
  const verify: VerifyWebProof = async (webProof) => {
    asked.push(webProof);
    const answer = answers[webProof.data];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error(`no answer to ${webProof.data}`);
    return answer;
  };
  return { verifyBatch: createVerifyBatch(verify), asked };
}

describe('a batch of web proofs', () => {
  it('gets one verdict each, in its order, with the caller‘s own label', async () => {
    const good = await verifiedProof();
    const refused = new DomainError('INVALID_PRESENTATION', 'It is cut short.');
    const { verifyBatch, asked } = verifier({ aa: good, bb: refused });
    const proofs = [{ ...proof('aa'), id: 'first' }, proof('bb'), { ...proof('aag'), id: 'third' }, proof('aa')];
    expect(await verifyBatch(proofs, signal)).toStrictEqual([
      { index: 0, id: 'first', success: true, data: good },
      { index: 1, success: false, error: { code: 'INVALID_PRESENTATION', message: 'It is cut short.' } },
      {
        index: 2,
        id: 'third',
        success: false,
        error: { code: 'INVALID_REQUEST', message: 'data is not hex digits in pairs.' },
      },
      { index: 3, success: true, data: good },
    ]);
    // The label is the caller's; a proof has no such member.
    expect(asked).toEqual([proof('aa'), proof('bb'), proof('aa')]);
  });

  it('has no verdicts when something breaks that is not the proof', async () => {
    const { verifyBatch, asked } = verifier({ aa: new TypeError('a defect') });
    await expect(verifyBatch([proof('aa'), proof('bb')], signal)).rejects.toThrow('a defect');
    expect(asked).toHaveLength(1);
  });

  it('stops when the caller goes away', async () => {
    const gone = new AbortController();
    const asked: string[] = [];
    const verifyBatch = createVerifyBatch(async ({ data }) => {
      asked.push(data);
      gone.abort(new Error('gone'));
      return verifiedProof();
    });
    await expect(verifyBatch([proof('aa'), proof('bb')], gone.signal)).rejects.toThrow('gone');
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
