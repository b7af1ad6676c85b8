import { afterAll, describe, expect, it } from 'vitest';
import { createVerificationWorkers } from '../../../../adapters/verification-worker/index.ts';
import type { Transcripts } from '../../../../core/ports/transcripts.ts';
import { notaryKeyFingerprint } from '../../../../core/web-proof/tlsnotary/verify-attestation.ts';
import { createTranscriptsInProcess, createVerifyInTurn } from '../../../../core/web-proof/transcribe.ts';
import { createTrustedNotaries } from '../../../../core/web-proof/trusted-notaries.ts';
import type { WebProof } from '../../../../core/web-proof/verify.ts';
import { type BatchVerdict, createVerifyBatch } from '../../../../core/web-proof/verify-batch.ts';
import { testSigner, wholeProof } from '../../../support/proof-builder.ts';
import { issueLeaf, issueRoot } from '../../../support/test-ca.ts';
import { testVerifier } from '../../../support/verifier.ts';

const root = issueRoot();
const leaf = issueLeaf(root, ['a.test']);
const fingerprint = notaryKeyFingerprint(testSigner.verifyingKey);
const settings = { extraRoots: [root.pem], trustedNotaries: createTrustedNotaries([{ fingerprint }]) };
const { signal } = new AbortController();

const { verify } = testVerifier(root, [fingerprint]);
let inProcess = 0;
const counted: typeof verify = (...given) => {
  inProcess += 1;
  return verify(...given);
};
const workers = createVerificationWorkers(settings, counted, { threads: 1 });
afterAll(() => workers.close());

function proofOf(body: string): Promise<WebProof> {
  const text = (head: string) => new TextEncoder().encode(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const sent = text('POST / HTTP/1.1\r\nhost: a.test');
  return wholeProof({ serverName: 'a.test', leaf, sent, received: text('HTTP/1.1 200 OK'), seed: 1 });
}

const largeProof = proofOf('x'.repeat(100_000));

const batchOf = (transcripts: Transcripts, proofs: readonly WebProof[], caller = 'ann') =>
  createVerifyBatch({ transcripts })(proofs, { signal, caller });

describe('verification in threads', () => {
  it('gives the verdicts that verification in the process gives', async () => {
    const good = await proofOf('{"ok":true}');
    const changed = { ...good, data: `${good.data.slice(0, -2)}00` };
    const proofs: WebProof[] = [
      good,
      changed,
      { ...good, data: good.data.slice(0, 400) },
      { ...good, data: '' },
      { ...good, data: 'zz' },
      { ...good, version: '2.0.0' },
      { ...good, version: '9' as WebProof['version'] },
      await largeProof,
    ];
    const expected = await batchOf(createTranscriptsInProcess(verify), proofs);
    const shown = (verdicts: readonly BatchVerdict[]) => verdicts.map(({ success }) => success);
    expect(shown(expected)).toEqual([true, false, false, false, false, true, false, true]);
    expect(await batchOf(workers, proofs)).toStrictEqual(expected);
  });

  it('verifies a large proof on its own in every shape, and a small one without a thread', async () => {
    const inProcess = createTranscriptsInProcess(verify);
    for (const proof of [await largeProof, await proofOf('small')]) {
      const work = { size: proof.data.length, proofs: 1, caller: 'ann', signal };
      for (const shape of ['v1', 'v2', 'whole'] as const) {
        const expected = await inProcess.run(work, (transcribe) => transcribe(proof, shape));
        expect(await workers.run(work, (transcribe) => transcribe(proof, shape))).toStrictEqual(expected);
      }
    }
  });

  it('verifies nothing of a batch or of a large proof in the process', async () => {
    const before = inProcess;
    const large = await largeProof;
    const small = await proofOf('small');
    expect(await batchOf(workers, [large, small])).toMatchObject([{ success: true }, { success: true }]);
    expect(await createVerifyInTurn(workers)(large)).toStrictEqual(await verify(large));
    expect(inProcess).toBe(before);
  });

  it('lets callers take turns, and refuses more than may wait', async () => {
    const proofs = [await proofOf('one'), await proofOf('two')];
    const order: string[] = [];
    const batches = Array.from({ length: 34 }, () => batchOf(workers, proofs, 'greedy'));
    const settled = Promise.allSettled(batches.map((batch) => batch.then(() => order.push('greedy'))));
    await batchOf(workers, proofs, 'modest').then(() => order.push('modest'));
    expect(order.indexOf('modest')).toBeLessThanOrEqual(2);
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: expect.any(Number) } }]);
  });

  it('verifies many small proofs of one caller in a turn of the event loop each, and others before the rest', async () => {
    const proof = await proofOf('small');
    const verified = await verify(proof);
    let turn = 0;
    const turns: number[] = [];
    const order: string[] = [];
    const quick = createVerificationWorkers(settings, async () => {
      turns.push(turn);
      return verified;
    });
    let isDone = false;
    const count = () => {
      turn += 1;
      if (!isDone) setImmediate(count);
    };
    count();
    const work = (caller: string) => ({ size: proof.data.length, proofs: 1, caller, signal });
    const one = async (caller: string) => {
      await quick.run(work(caller), (transcribe) => transcribe(proof, 'v2'));
      order.push(caller);
    };
    const greedy = Array.from({ length: 640 }, () => one('greedy'));
    await Promise.all([...greedy, one('modest')]).finally(() => {
      isDone = true;
    });
    await quick.close();
    expect(new Set(turns).size).toBe(641);
    expect(order.indexOf('modest')).toBeLessThanOrEqual(2);
  });

  it('gives up a proof that takes too long, and continues with the next', async () => {
    const hasty = createVerificationWorkers(settings, verify, { threads: 1, timeoutMs: 1 });
    try {
      const verdicts = await batchOf(hasty, [await proofOf('a'), await proofOf('b')]);
      const late = { code: 'INTERNAL_SERVER_ERROR', message: expect.stringContaining('takes more than') };
      expect(verdicts).toMatchObject([{ error: late }, { error: late }]);
    } finally {
      await hasty.close();
    }
  });

  it('refuses what waits when it is closed, and what comes later', async () => {
    const closed = createVerificationWorkers(settings, verify);
    const proof = await proofOf('small');
    const work = { size: proof.data.length, proofs: 1, caller: 'ann', signal };
    const waiting = [1, 2].map(() => closed.run(work, (transcribe) => transcribe(proof, 'v2')));
    const settled = Promise.allSettled(waiting);
    await closed.close();
    const refusal = { code: 'SERVICE_UNAVAILABLE' };
    expect(await settled).toMatchObject(Array(2).fill({ reason: refusal }));
    await expect(batchOf(closed, [proof, proof])).rejects.toMatchObject(refusal);
  });
});
