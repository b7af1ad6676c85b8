/** Zero-knowledge compression of web proofs. The parts are loaded by the first request. */

import { late } from '../../../core/late.ts';
import type { ZkProverAdapter } from '../../../core/ports/adapter-values.ts';
import type { ZkProver } from '../../../core/ports/zk-prover.ts';
import { createZkProverRoutes } from '../../http/routes/zk-prover.ts';
import { madeBy } from '../adapter-values.ts';
import { ContainerModule } from '../container.ts';
import { observedProver } from '../observed.ts';
import { provide, provideLate } from '../token.ts';
import { LENT, named, PARTS, TOKENS } from '../tokens.ts';

const load = () => import('../zk-parts.ts');

export const zkProverModule = new ContainerModule((options) => {
  provideLate(
    options,
    TOKENS.zkProver,
    { ...named('config', 'telemetry'), ...LENT },
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
  provide(options, PARTS.compression, { resolve: PARTS.resolve }, ({ resolve }) =>
    late(() => resolve(TOKENS.zkProver)),
  );
  provide(options, PARTS.warmUp, { prover: PARTS.compression }, ({ prover }) => ({
    name: 'zk-prover',
    run: async () => (await prover()).warmUp?.(),
  }));
  provide(options, TOKENS.closeable, { prover: PARTS.compression }, ({ prover }) => ({
    close: async () => (await prover.ifMade())?.close(),
  }));
  provide(
    options,
    TOKENS.routes,
    { ...named('resolve', 'random', 'usage'), proofs: PARTS.webProofs, prover: PARTS.compression },
    ({ proofs, resolve, prover, random, usage }) => {
      const useCases = late(async () => {
        const [{ makeCompression }, webProofs, key, zkProver] = await Promise.all([
          load(),
          proofs(),
          resolve(TOKENS.notaryKey),
          prover(),
        ]);
        return makeCompression(webProofs, key, zkProver, random);
      });
      return createZkProverRoutes({
        compress: async (...args) => (await useCases()).compress(...args),
        compressFake: async (...args) => (await useCases()).compressFake(...args),
        decodeHelper: async (...args) => (await useCases()).decodeHelper(...args),
        guestId: async () => (await useCases()).guestId(),
        usage,
      });
    },
  );
});
