import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../../core/errors.ts';
import { createTranscriptsInProcess } from '../../../../core/web-proof/transcribe.ts';
import { toVerifiedTranscriptV2 } from '../../../../core/web-proof/verified-transcript.ts';
import type { HoldMemory, VerifiedWebProof, VerifyWebProof, WebProof } from '../../../../core/web-proof/verify.ts';
import { createVerifyBatch, MAX_BATCH, verifyBatchSchema } from '../../../../core/web-proof/verify-batch.ts';
import { verifiedProof } from '../../../support/verified-proof.ts';

const proof = (data: string): WebProof => ({ data, version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } });
const { signal } = new AbortController();
const caller = 'token:1';
const batchBy = (verify: VerifyWebProof, mostBytes?: number) =>
  createVerifyBatch({
    transcripts: createTranscriptsInProcess(verify),
    ...(mostBytes === undefined ? {} : { mostBytes }),
  });

/** Instead of the usual one, for which megabytes would be counted. */
const MOST_BYTES = 600_000;

/** A verifier that knows these answers by the data of the proof. */
function verifier(answers: Readonly<Record<string, VerifiedWebProof | Error>>) {
  const asked: WebProof[] = [];
  const verify: VerifyWebProof = async (webProof) => {
    asked.push(webProof);
    const answer = answers[webProof.data];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error(`no answer to ${webProof.data}`);
    return answer;
  };
  return {
    verifyBatch: createVerifyBatch({ transcripts: createTranscriptsInProcess(verify), mostBytes: MOST_BYTES }),
    asked,
  };
}

describe('a batch of web proofs', () => {
  it('gets one verdict each, in its order, with the caller‘s own label', async () => {
    const good = await verifiedProof();
    const refused = new DomainError('INVALID_PRESENTATION', 'It is cut short.');
    const { verifyBatch, asked } = verifier({ aa: good, bb: refused });
    const proofs = [{ ...proof('aa'), id: 'first' }, proof('bb'), { ...proof('aag'), id: 'third' }, proof('aa')];
    expect(await verifyBatch(proofs, { signal, caller })).toStrictEqual([
      { index: 0, id: 'first', success: true, data: toVerifiedTranscriptV2(good) },
      { index: 1, success: false, error: { code: 'INVALID_PRESENTATION', message: 'It is cut short.' } },
      {
        index: 2,
        id: 'third',
        success: false,
        error: { code: 'INVALID_REQUEST', message: 'data is not hex digits in pairs.' },
      },
      { index: 3, success: true, data: toVerifiedTranscriptV2(good) },
    ]);
    // The label is the caller's; a proof has no such member.
    expect(asked).toEqual([proof('aa'), proof('bb'), proof('aa')]);
  });

  describe('of which the results are large', () => {
    const room = { code: 'PAYLOAD_TOO_LARGE', message: expect.stringMatching(/600000 bytes.*on its own/) };
    const busy = { code: 'SERVICE_UNAVAILABLE', message: 'Busy.' };
    /** A proof whose transcript takes about this many bytes in the answer. */
    async function large(bytes: number, change: (proof: VerifiedWebProof, text: string) => VerifiedWebProof = inBody) {
      return change(await verifiedProof(), 'a'.repeat(bytes));
    }
    const inBody = (proof: VerifiedWebProof, text: string) => ({ ...proof, response: { ...proof.response, text } });
    const outcomes = async (verdicts: ReturnType<ReturnType<typeof createVerifyBatch>>) =>
      (await verdicts).map((verdict) => (verdict.success ? 'shown' : verdict.error));
    const batchOf = async (proofs: readonly VerifiedWebProof[], hold?: HoldMemory) => {
      const names = proofs.map((_, index) => `a${index}`);
      const { verifyBatch } = verifier(Object.fromEntries(proofs.map((each, index) => [`a${index}`, each])));
      return outcomes(verifyBatch(names.map(proof), { signal, caller, ...(hold === undefined ? {} : { hold }) }));
    };

    it('shows those that fit and names the others, each by itself', async () => {
      const half = await large(MOST_BYTES / 2 - 10_000);
      const small = await large(1_000);
      expect(await batchOf([half, half, half, small, half])).toEqual(['shown', 'shown', room, 'shown', room]);
    });

    it('holds the results that it keeps, and none that there is no room for', async () => {
      const held: number[] = [];
      const proofs = [await large(100_000), await large(MOST_BYTES), await large(200_000)];
      await batchOf(proofs, (bytes) => held.push(bytes));
      const sizes = [proofs[0], proofs[2]].map((each) =>
        each ? JSON.stringify(toVerifiedTranscriptV2(each)).length : 0,
      );
      expect(held).toHaveLength(2);
      for (const [index, size] of sizes.entries()) {
        expect((held[index] ?? 0) / size).toBeGreaterThan(0.99);
        expect(held[index]).toBeLessThanOrEqual(size);
      }
    });

    it('names a result that may not be held, and continues', async () => {
      const hold = (bytes: number) => {
        if (bytes > 50_000) throw new DomainError('SERVICE_UNAVAILABLE', 'Busy.');
      };
      expect(await batchOf([await large(1_000), await large(100_000), await large(1_000)], hold)).toEqual([
        'shown',
        busy,
        'shown',
      ]);
    });
  });

  it('has no verdicts when something breaks that is not the proof', async () => {
    const { verifyBatch, asked } = verifier({ aa: new TypeError('a defect') });
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
