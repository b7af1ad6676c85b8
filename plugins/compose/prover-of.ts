/** The prover that options describe, as a value. Loaded only where compression is served. */
import { fakeProver } from '../../adapters/fake-prover/index.ts';
import { groth16 } from '../../adapters/groth16-prover/index.ts';
import { httpProver } from '../../adapters/http-prover/index.ts';
import type { ZkProverAdapter } from '../../core/ports/adapter-values.ts';
import type { ResolvedConfig } from './config.ts';

export function proverOf(zk: ResolvedConfig['zk']): ZkProverAdapter {
  const { prover, url, token, artifacts, allowDevelopmentKey, rapidsnark } = zk;
  if (prover === 'fake') return fakeProver();
  if (prover === 'http') return httpProver({ url: url as string, token: token as string });
  return groth16({
    ...(prover === 'rapidsnark' && rapidsnark !== undefined ? { rapidsnark } : {}),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(allowDevelopmentKey === undefined ? {} : { allowDevelopmentKey }),
  });
}
