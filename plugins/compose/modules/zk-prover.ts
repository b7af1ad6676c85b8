/** Zero-knowledge compression of web proofs. */
import { ContainerModule } from 'inversify';
import { createFakeProver } from '../../../adapters/fake-prover/index.ts';
import { createGroth16Prover, type Groth16ProverOptions } from '../../../adapters/groth16-prover/index.ts';
import { createHttpProver } from '../../../adapters/http-prover/index.ts';
import type { ZkProver } from '../../../core/ports/zk-prover.ts';
import { createValuesSigner } from '../../../core/web-proof/attested-values/values-key.ts';
import { createCompress, createJournalDecodeHelper } from '../../../core/web-proof/compress.ts';
import { createVerifyInTurn } from '../../../core/web-proof/transcribe.ts';
import { createZkProverRoutes } from '../../http/routes/zk-prover.ts';
import type { ResolvedConfig } from '../config.ts';
import { observedProver } from '../observed.ts';
import { provide } from '../token.ts';
import { TOKENS } from '../tokens.ts';

export const zkProverModule = new ContainerModule((options) => {
  provide(
    options,
    TOKENS.zkProver,
    { config: TOKENS.config, telemetry: TOKENS.telemetry },
    ({ config: { zk }, telemetry }) => observedProver(proverOf(zk), telemetry),
  );
  provide(options, TOKENS.closeable, { prover: TOKENS.zkProver }, ({ prover }) => prover);
  provide(
    options,
    TOKENS.routes,
    {
      transcripts: TOKENS.transcripts,
      evaluator: TOKENS.queryEvaluator,
      prover: TOKENS.zkProver,
      notaries: TOKENS.notaries,
      notaryKey: TOKENS.notaryKey,
      random: TOKENS.random,
      usage: TOKENS.usage,
    },
    ({ transcripts, evaluator, prover, notaries, notaryKey: { publicKey, secretKey }, random, usage }) => {
      const delegate = { publicKey, signer: createValuesSigner(secretKey), random };
      const dependencies = { verify: createVerifyInTurn(transcripts), evaluator, notaries, delegate };
      const guestId = () => prover.guestId();
      return createZkProverRoutes({
        compress: createCompress({ ...dependencies, prover }),
        compressFake: async (request, ...context) => {
          // Of the program that `guestId` names: a seal of any other is of no use to a contract.
          const fake = createFakeProver({ guestId: await guestId() });
          return createCompress({ ...dependencies, prover: fake })(request, ...context);
        },
        decodeHelper: createJournalDecodeHelper(dependencies),
        guestId,
        usage,
      });
    },
  );
});

/** The program that fake seals name, and `guestId` tells, when no real prover is configured. */
const FAKE_GUEST_ID = `0x${'00'.repeat(31)}01` as const;

/** The options of the real prover that a configuration stands for. */
export function groth16Options({ artifacts, allowDevelopmentKey }: ResolvedConfig['zk']): Groth16ProverOptions {
  return {
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(allowDevelopmentKey === undefined ? {} : { allowDevelopmentKey }),
  };
}

function proverOf(zk: ResolvedConfig['zk']): ZkProver {
  const { prover, url, token } = zk;
  if (prover === 'fake') return createFakeProver({ guestId: FAKE_GUEST_ID });
  if (prover === 'http') return createHttpProver({ url: url as string, token: token as string });
  return createGroth16Prover(groth16Options(zk));
}
