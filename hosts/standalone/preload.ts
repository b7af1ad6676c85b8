/** Loads the code of first calls while the host is idle, so that no request has to wait for it. */
import { loadInPieces } from '../../adapters/package-loader/load-in-pieces.ts';
import { loadInTurns } from '../../plugins/compose/load-in-turns.ts';
import { loadWebProofParts } from '../../plugins/compose/load-web-proof-parts.ts';

/**
 * Loads what these services load with their first calls, a part in each turn of the event loop. Later calls find it loaded.
 * Rejects with what a module throws; the first call of that service then says what is missing.
 */
export async function preload(services: readonly string[]): Promise<void> {
  await loadInTurns(
    () => loadInPieces('undici'),
    () => import('undici'),
    () => import('tough-cookie'),
    useCookieJar,
    () => loadInPieces('prom-client'),
    () => import('../../adapters/telemetry/recorder.ts'),
    () => import('../../adapters/egress-guard/guarded-agent.ts'),
    () => import('../../adapters/webhook-http/undici-transport.ts'),
  );
  if (services.some((name) => name !== 'engagement')) await loadWebProofParts();
  if (!services.includes('zk-prover')) return;
  await loadInTurns(
    () => loadInPieces('viem/utils'),
    () => import('../../plugins/compose/zk-parts.ts'),
    () => import('../../plugins/compose/prover-of.ts'),
    () => import('../../adapters/groth16-prover/seal.ts'),
  );
}

/** The first cookie makes the engine compile long patterns, which takes it some milliseconds. */
async function useCookieJar(): Promise<void> {
  const { CookieJar } = await import('tough-cookie');
  const jar = new CookieJar();
  await jar.setCookie('first=1', 'https://cookie.example/');
  await jar.getCookieString('https://cookie.example/');
}
