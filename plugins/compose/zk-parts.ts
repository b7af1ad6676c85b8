/** Binds the use cases of compression. Loaded by the first instance that needs them. */
import { createFakeProver } from '../../adapters/fake-prover/index.ts';
import type { NotaryKey } from '../../adapters/local-notary/index.ts';
import type { RandomSource } from '../../core/ports/random-source.ts';
import type { ZkProver } from '../../core/ports/zk-prover.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { type Compress, createCompress, createJournalDecodeHelper } from '../../core/web-proof/journal/compress.ts';
import { createVerifyInTurn } from '../../core/web-proof/transcribe.ts';
import type { WebProofParts } from './tokens.ts';

/** Binds the use cases of compression. */
export function makeCompression(
  { transcripts, evaluator, notaries }: WebProofParts,
  { publicKey, secretKey }: NotaryKey,
  prover: ZkProver,
  random: RandomSource,
) {
  const delegate = { publicKey, signer: createValuesSigner(secretKey), random };
  const dependencies = {
    verify: createVerifyInTurn(transcripts),
    evaluator,
    notaries,
    delegate,
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
