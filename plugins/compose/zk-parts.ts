/** Makes the parts of compression. Loaded by the first instance that needs one: with it comes the Ethereum library. */
import { createFakeProver } from '../../adapters/fake-prover/index.ts';
import {
  createGroth16Prover,
  type Groth16ProverOptions,
  warningAboutKey,
} from '../../adapters/groth16-prover/index.ts';
import { createHttpProver } from '../../adapters/http-prover/index.ts';
import { createAbiEncoder } from '../../adapters/viem-abi/index.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-key.ts';
import { type Compress, createCompress, createJournalDecodeHelper } from '../../core/web-proof/compress.ts';
import { createVerifyInTurn } from '../../core/web-proof/transcribe.ts';
import type { ResolvedConfig } from './config.ts';
import type { WebProofParts } from './tokens.ts';

/** The program that fake seals name, and `guestId` tells, when no real prover is configured. */
const FAKE_GUEST_ID = `0x${'00'.repeat(31)}01` as const;

/** The prover that the configuration names. */
export function makeProver(zk: ResolvedConfig['zk']): ZkProver {
  const { prover, url, token } = zk;
  if (prover === 'fake') return createFakeProver({ guestId: FAKE_GUEST_ID });
  if (prover === 'http') return createHttpProver({ url: url as string, token: token as string });
  return createGroth16Prover(groth16Options(zk));
}

/** What an operator should know about the prover before the first request meets it; null if there is nothing to say. */
export async function warningAboutProver(zk: ResolvedConfig['zk']): Promise<string | null> {
  if (zk.prover === 'groth16' || zk.prover === 'rapidsnark') return warningAboutKey(groth16Options(zk));
  if (zk.prover !== 'fake' || process.env.NODE_ENV !== 'production') return null;
  return 'ZK_PROVER=fake: every seal is a mock that proves nothing. Only contracts with a mock verifier accept it.';
}

function groth16Options({
  prover,
  artifacts,
  allowDevelopmentKey,
  rapidsnark,
}: ResolvedConfig['zk']): Groth16ProverOptions {
  return {
    ...(prover === 'rapidsnark' && rapidsnark !== undefined ? { rapidsnark } : {}),
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(allowDevelopmentKey === undefined ? {} : { allowDevelopmentKey }),
  };
}

/** Binds the use cases of compression. */
export function makeCompression(
  { transcripts, evaluator, notaries, notaryKey: { publicKey, secretKey } }: WebProofParts,
  prover: ZkProver,
  random: RandomSource,
) {
  const delegate = { publicKey, signer: createValuesSigner(secretKey), random };
  const dependencies = {
    verify: createVerifyInTurn(transcripts),
    evaluator,
    notaries,
    delegate,
    encodeAbi: createAbiEncoder(),
  };
  const compressFake: Compress = async (request, ...context) => {
    // Of the program that `guestId` names: a seal of any other is of no use to a contract.
    const fake = createFakeProver({ guestId: await prover.guestId() });
    return createCompress({ ...dependencies, prover: fake })(request, ...context);
  };
  return {
    compress: createCompress({ ...dependencies, prover }),
    compressFake,
    decodeHelper: createJournalDecodeHelper(dependencies),
    guestId: () => prover.guestId(),
  };
}
