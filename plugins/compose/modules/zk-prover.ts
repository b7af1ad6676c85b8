/** Zero-knowledge compression of web proofs. The parts are loaded by the first request. */

import { late } from '../../../core/late.ts';
import type { ZkProverAdapter } from '../../../core/ports/adapter-values.ts';
import type { ZkProver } from '../../../core/ports/zk-prover.ts';
import { createZkProverRoutes } from '../../http/routes/zk-prover.ts';
import { madeBy } from '../adapter-values.ts';
import { ContainerModule } from '../container.ts';
import { observedProver } from '../observed.ts';
import { later, provide, provideLate } from '../token.ts';
import { LENT, PARTS, TOKENS } from '../tokens.ts';

const load = () => import('../zk-parts.ts');

export const zkProverModule = new ContainerModule((options) => {
  provideLate(
    options,
    TOKENS.zkProver,
    {
      config: TOKENS.config,
      telemetry: TOKENS.telemetry,
      ...LENT,
    },
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
  provide(options, PARTS.compression, { parts: later({ prover: TOKENS.zkProver }) }, ({ parts }) => parts);
  provide(options, PARTS.warmUp, { parts: PARTS.compression }, ({ parts }) => ({
    name: 'zk-prover',
    run: async () => {
      await (await parts()).prover.warmUp?.();
    },
  }));
  provide(options, TOKENS.closeable, { parts: PARTS.compression }, ({ parts }) => ({
    close: async () => (await parts.ifMade())?.prover.close(),
  }));
  provide(
    options,
    TOKENS.routes,
    {
      proofs: PARTS.webProofs,
      own: later({ key: TOKENS.notaryKey }),
      parts: PARTS.compression,
      random: TOKENS.random,
      usage: PARTS.usage,
    },
    ({ proofs, own, parts, random, usage }) => {
      const useCases = late(async () => {
        const [{ makeCompression }, webProofs, { key }, { prover }] = await Promise.all([
          load(),
          proofs(),
          own(),
          parts(),
        ]);
        return makeCompression(webProofs, key, prover, random);
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
