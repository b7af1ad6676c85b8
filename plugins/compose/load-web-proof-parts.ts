/** Loads the parts of web proofs, with cryptography and certificates. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { late } from '../../core/late.ts';
import { loadInTurns } from './load-in-turns.ts';

/** Loads them once. All at once would hold the event loop for 70 ms. */
export const loadWebProofParts = late(async () => {
  await loadInTurns(
    () => import('../../core/web-proof/attested-values/values-signature.ts'),
    () => import('../../adapters/x509/index.ts'),
    async () => (await import('../../adapters/x509/index.ts')).loadNameRules(),
    () => import('../../core/web-proof/verify.ts'),
    () => import('../../adapters/local-notary/index.ts'),
    () => import('../../core/web-proof/attested-values/notary-extensions.ts'),
  );
  return import('./web-proof-parts.ts');
});

/** Loads them, and gives way to other work before a part is made: some take 10 ms. */
export async function webProofPartsInTurn(): ReturnType<typeof loadWebProofParts> {
  const parts = await loadWebProofParts();
  await nextTurn();
  return parts;
}
