/** What an operator should hear when an instance starts, not when a request first meets it. */
import { ContainerModule } from 'inversify';
import { warningAboutKey } from '../../../adapters/groth16-prover/index.ts';
import type { ResolvedConfig } from '../config.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';
import { groth16Options } from './zk-prover.ts';

export const bootWarningsModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.bootWarnings,
    { config: TOKENS.config },
    ({ config: { services, zk, platforms } }) =>
      async () => {
        const aboutProver = services.includes('zk-prover') ? await warningAboutProver(zk) : null;
        const aboutPacing = services.includes('engagement') ? warningAboutPacing(platforms.pacing) : null;
        return [aboutProver, aboutPacing].filter((warning) => warning !== null);
      },
  );
});

function warningAboutPacing(pacing: ResolvedConfig['platforms']['pacing']): string | null {
  if (pacing !== 'off' || process.env.NODE_ENV !== 'production') return null;
  return 'SCRAPER_PACING=off: requests to platforms have no rate limit, which gets addresses and sessions blocked. Use it for simulators only.';
}

async function warningAboutProver(zk: ResolvedConfig['zk']): Promise<string | null> {
  if (zk.prover === 'groth16') return warningAboutKey(groth16Options(zk));
  if (zk.prover !== 'fake' || process.env.NODE_ENV !== 'production') return null;
  return 'ZK_PROVER=fake: every seal is a mock that proves nothing. Only contracts with a mock verifier accept it.';
}
