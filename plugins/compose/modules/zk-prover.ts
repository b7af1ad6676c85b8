/** Zero-knowledge compression of web proofs. The parts are loaded by the first request. */

import { late } from '../../../core/late.ts';
import type { ZkProverAdapter } from '../../../core/ports/adapter-values.ts';
import type { ZkProver } from '../../../core/ports/zk-prover.ts';
import { createZkProverRoutes } from '../../http/routes/zk-prover.ts';
import { madeBy } from '../adapter-values.ts';
import { ContainerModule } from '../container.ts';
import { observedProver } from '../observed.ts';
import { provide, provideLate } from '../token.ts';
import { named, PARTS, TOKENS } from '../tokens.ts';

const load = () => import('../zk-parts.ts');

export const zkProverModule = new ContainerModule((options) => {
  provideLate(
    options,
    TOKENS.zkProver,
    named('config', 'telemetry', 'clock', 'random', 'logger'),
    async ({ config: { adapters }, telemetry, ...context }) =>
      observedProver(
        madeBy<ZkProver>(
          'zkProver',
          ['guestId', 'prove'],
          await (adapters.zkProver as ZkProverAdapter).create(context),
        ),
        telemetry,
      ),
  );
  provide(options, PARTS.compression, named('resolve'), ({ resolve }) => late(() => resolve(TOKENS.zkProver)));
  provide(options, PARTS.warmUp, named('compression'), ({ compression }) => ({
    name: 'zk-prover',
    run: async () => (await compression()).warmUp?.(),
  }));
  provide(options, TOKENS.closeable, named('compression'), ({ compression }) => ({
    close: async () => (await compression.ifMade())?.close(),
  }));
  provide(
    options,
    TOKENS.routes,
    named('resolve', 'random', 'access', 'webProofs', 'compression'),
    ({ webProofs, resolve, compression, random, access: { usage } }) =>
      createZkProverRoutes({
        usage,
        useCases: late(async () => {
          const [{ makeCompression }, proofs, key, prover] = await Promise.all([
            load(),
            webProofs(),
            resolve(TOKENS.notaryKey),
            compression(),
          ]);
          return makeCompression(proofs, key, prover, random);
        }),
      }),
  );
});
