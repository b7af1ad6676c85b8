/** Every route that verifies a web proof does so by the verifier that callers share fairly. */

import { afterAll, expect, it } from 'vitest';
import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import type { TranscriptWork } from '../../../core/ports/transcripts.ts';
import type { WebProof } from '../../../core/web-proof/verify.ts';
import { ContainerModule } from '../../../plugins/compose/container.ts';
import { createCredence, DomainError, provide, silentLogger } from '../../../plugins/compose/index.ts';
import { PARTS } from '../../../plugins/compose/tokens.ts';

const asked: TranscriptWork[] = [];
const busy = new DomainError('SERVICE_UNAVAILABLE', 'The verifier is busy.', { retryAfterSeconds: 1 });
const meta = { notaryUrl: 'https://notary.example.com' };
const presentation: WebProof = { data: '00'.repeat(100_000), version: '2.0.0', meta };

const config = {
  storage: { url: 'sqlite::memory:' },
  services: ['engagement' as const, 'web-prover' as const, 'zk-prover' as const],
  zkProver: fakeProver(),
  notary: { key: { secret: new Uint8Array(32).fill(7) } },
};
const transcripts = {
  run: async (work: TranscriptWork) => {
    asked.push(work);
    throw busy;
  },
  close: async () => {},
};
const modules = [
  new ContainerModule(({ rebind }) => provide({ bind: rebind }, PARTS.transcripts, {}, () => transcripts)),
];
const credence = createCredence(config, { logger: silentLogger, modules });
await credence.start();
afterAll(() => credence.stop());

function call(group: 'proofs' | 'connections', name: string, input: unknown): Promise<unknown> {
  const operations = credence[group] as unknown as Readonly<Record<string, (input: unknown) => Promise<unknown>>>;
  return (operations[name] as (input: unknown) => Promise<unknown>)(input);
}

it.each<[string, () => Promise<unknown>]>([
  ['verify', () => call('proofs', 'verify', presentation)],
  ['verify-batch', () => call('proofs', 'verifyBatch', { proofs: [presentation] })],
  ['compress', () => call('proofs', 'compress', { presentation })],
  ['the fake compress', () => call('proofs', 'fakeCompress', { presentation })],
  ['the decode helper', () => call('proofs', 'decodeJournal', { presentation })],
  [
    'the web-proof callback',
    async () => {
      const started = await call('connections', 'start', { platform: 'instagram', externalId: 'user-1' });
      const { requestId } = started as { requestId: string };
      return call('connections', 'acceptProof', { requestId, presentationJson: presentation });
    },
  ],
])('verifies the proof of %s in the turn of its caller', async (_name, verifyProof) => {
  asked.length = 0;
  await expect(verifyProof()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });
  expect(asked).toMatchObject([{ size: presentation.data.length, proofs: 1, caller: expect.any(String) }]);
});
