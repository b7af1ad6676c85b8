/** What an operator should hear when an instance starts, not when a request first meets it. */
import { ContainerModule } from 'inversify';
import { warningAboutKey } from '../../../adapters/groth16-prover/index.ts';
import type { ResolvedConfig } from '../config.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';
import { groth16Options } from './zk-prover.ts';

export const bootWarningsModule = new ContainerModule((options) => {
  provide(options, TOKENS.bootWarnings, [TOKENS.config], ({ services, zk }) => async () => {
    const warning = services.includes('zk-prover') ? await warningAboutProver(zk) : null;
    return warning === null ? [] : [warning];
  });
});

async function warningAboutProver(zk: ResolvedConfig['zk']): Promise<string | null> {
  if (zk.prover === 'groth16') return warningAboutKey(groth16Options(zk));
  if (zk.prover !== 'fake' || process.env.NODE_ENV !== 'production') return null;
  return 'ZK_PROVER=fake: every seal is a mock that proves nothing. Only contracts with a mock verifier accept it.';
}
