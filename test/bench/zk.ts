/** Bench of zero-knowledge compression: real proofs over the wire, a real EVM. */

import { fileURLToPath } from 'node:url';
import { createGroth16Prover } from '../../adapters/groth16-prover/index.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-key.ts';
import { compressRequestSchema, createCompress } from '../../core/web-proof/compress.ts';
import { startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import { setUpProving } from '../support/proving.ts';
import { verifyArguments } from '../support/seal-parts.ts';
import { compileSolidity } from '../../hosts/demo/evm/solidity.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';

export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: 'ms' | 'gas' | 'bytes';
  /** At most this on two idle cores. */
  readonly expected?: number;
}

const CONTRACT = fileURLToPath(
  new URL('../../adapters/groth16-prover/contracts/WebProofVerifier.sol', import.meta.url),
);
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  return [await work(), performance.now() - start];
}

/** Compresses proofs with 1, 4 and 8 values, `rounds` times each after one warm-up, and has a contract check them. */
export async function benchZk(rounds = 5): Promise<readonly BenchRow[]> {
  const authority = createAuthority();
  const key = notaryKey(new Uint8Array(32).fill(7));
  const attestationExtensions = createValuesExtensions(createValuesSigner(key.secretKey));
  const { notary, prove, verify } = setUpProving(authority, { key, attestationExtensions });
  const [evaluator, prover] = [createJmespathEvaluator(), createGroth16Prover()];
  const compress = createCompress({ verify, evaluator, prover, notaries: [notary] });
  const origin = await startOrigin(authority, {
    answer: jsonAnswer(Object.fromEntries(NAMES.map((name, i) => [name, `value ${i}`]))),
  });
  const chain = await startLocalChain();
  try {
    const presentation = await prove({ url: origin.url('/v1/values') });
    const { WebProofVerifier: contract } = await compileSolidity(CONTRACT);
    if (contract === undefined) throw new Error('the contract is not in its file');
    const { address } = await chain.deploy(contract);
    const guestId = await prover.guestId();
    const request = (count: number) =>
      compressRequestSchema.parse({
        presentation,
        extraction: { 'response.body': { jmespath: NAMES.slice(0, count) } },
      });
    await compress(request(1));

    const rows: BenchRow[] = [];
    for (const count of [1, 4, 8]) {
      const proving: number[] = [];
      const checking: number[] = [];
      let size = 0;
      let gas = 0n;
      for (let round = 0; round < rounds; round += 1) {
        const [proof, provingTime] = await timed(() => compress(request(count)));
        const args = verifyArguments(proof.zkProof, guestId, proof.journalDataAbi);
        const [, checkingTime] = await timed(() => chain.read(address, contract.abi, 'verify', args));
        gas = await chain.send(address, contract.abi, 'verify', args);
        proving.push(provingTime);
        checking.push(checkingTime);
        size = proof.zkProof.length / 2 - 1;
      }
      const values = `${count} ${count === 1 ? 'value' : 'values'}`;
      rows.push(
        { name: `compress, ${values}`, value: median(proving), unit: 'ms', expected: 4_000 },
        { name: `verify on a local EVM, ${values}`, value: median(checking), unit: 'ms' },
        { name: `verify, ${values}`, value: Number(gas), unit: 'gas', expected: 370_000 },
        { name: `seal, ${values}`, value: size, unit: 'bytes' },
      );
    }
    return rows;
  } finally {
    chain.stop();
    await Promise.all([origin[Symbol.asyncDispose](), notary.close(), prover.close(), evaluator.close()]);
  }
}
