/** Bench of zero-knowledge compression: real proofs over the wire, a real EVM. */

import { fileURLToPath } from 'node:url';
import { curves, groth16, wtns } from 'snarkjs';
import { bundledArtifacts, loadArtifacts, readArtifact } from '../../adapters/groth16-prover/artifacts.ts';
import { sizeFor } from '../../adapters/groth16-prover/circuit-sizes.ts';
import { createGroth16Prover } from '../../adapters/groth16-prover/index.ts';
import { witnessInput } from '../../adapters/groth16-prover/witness-input.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { createAbiEncoder } from '../../adapters/viem-abi/index.ts';
import type { ProofStatement, ZkProver } from '../../core/ports/zk-prover.ts';
import { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { compressRequestSchema, createCompress } from '../../core/web-proof/compress.ts';
import { startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import { compileSolidity } from '../../hosts/demo/evm/solidity.ts';
import { setUpProving } from '../support/proving.ts';
import { verifyArguments } from '../support/seal-parts.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../support/tls-origin.ts';
import { type Bench, type BenchRow, MILLISECONDS, type Unit } from './bench.ts';
import { alone, sideBySide, timed as timeOf } from './rounds.ts';

const GAS: Unit = { name: 'gas', better: 'lower' };
const BYTES: Unit = { name: 'bytes', better: 'lower' };

const CONTRACT = fileURLToPath(new URL('../../contracts/WebProofVerifier.sol', import.meta.url));
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now();
  return [await work(), performance.now() - start];
}

export const zkBench: Bench = {
  name: 'zk',
  title: 'Compressed web proofs: real Groth16 proofs, checked by a contract on a real EVM',
  run: ({ quick, progress }) => measure(quick ? 1 : 5, quick ? [1] : [1, 4, 8], progress),
};

/** Compresses proofs with so many values, `rounds` times each after one warm-up, and has a contract check them. */
async function measure(
  rounds: number,
  counts: readonly number[],
  progress: (what: string) => void,
): Promise<readonly BenchRow[]> {
  const authority = createAuthority();
  const key = notaryKey(new Uint8Array(32).fill(7));
  const attestationExtensions = createValuesExtensions(createValuesSigner(key.secretKey));
  const { notary, prove, verify } = setUpProving(authority, { key, attestationExtensions });
  const [evaluator, prover] = [createJmespathEvaluator(), createGroth16Prover()];
  let statement: ProofStatement | undefined;
  const listening: ZkProver = {
    ...prover,
    prove: (proven, ...context) => {
      statement = proven;
      return prover.prove(proven, ...context);
    },
  };
  const compress = createCompress({
    verify,
    evaluator,
    encodeAbi: createAbiEncoder(),
    prover: listening,
    notaries: [notary],
  });
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
    progress('warm up');
    await compress(request(1));

    const rows: BenchRow[] = [];
    for (const count of counts) {
      const proving: number[] = [];
      const checking: number[] = [];
      const gas: number[] = [];
      const size: number[] = [];
      progress(`${count} of ${NAMES.length} values`);
      for (let round = 0; round < rounds; round += 1) {
        const [proof, provingTime] = await timed(() => compress(request(count)));
        const args = verifyArguments(proof.zkProof, guestId, proof.journalDataAbi);
        const [, checkingTime] = await timed(() => chain.read(address, contract.abi, 'verify', args));
        gas.push(Number(await chain.send(address, contract.abi, 'verify', args)));
        proving.push(provingTime);
        checking.push(checkingTime);
        size.push(proof.zkProof.length / 2 - 1);
      }
      const values = `${count} ${count === 1 ? 'value' : 'values'}`;
      rows.push(
        alone({ name: `compress, ${values}`, unit: MILLISECONDS }, proving),
        alone({ name: `verify on a local EVM, ${values}`, unit: MILLISECONDS }, checking),
        alone({ name: `verify, ${values}`, unit: GAS, aim: { of: 'figure', atMost: 370_000 } }, gas),
        alone({ name: `seal, ${values}`, unit: BYTES }, size),
      );
    }
    if (statement === undefined) throw new Error('nothing was proven');
    const last = request(counts.at(-1) ?? 1);
    progress('beside a bare groth16.prove');
    const bare = await bareProof(statement);
    rows.push(
      await sideBySide({
        name: `compress, ${counts.at(-1)} values`,
        unit: MILLISECONDS,
        subject: () => timeOf(() => compress(last)),
        reference: { name: 'bare groth16.prove', measure: () => timeOf(bare) },
        rounds,
        aim: { of: 'ratio', atMost: 1.15 },
      }),
    );
    const most = counts.at(-1) ?? 1;
    if (most > 1) {
      progress('one value beside many');
      rows.push(
        await sideBySide({
          name: 'compress, 1 value',
          unit: MILLISECONDS,
          subject: () => timeOf(() => compress(request(1))),
          reference: { name: `${most} values`, measure: () => timeOf(() => compress(last)) },
          rounds,
          aim: { of: 'ratio', atMost: 0.5 },
        }),
      );
    }
    progress('the first after a start');
    const proven = statement;
    rows.push(
      await sideBySide({
        name: 'the first proof after a start',
        unit: MILLISECONDS,
        subject: () => firstProof(proven),
        reference: { name: 'a later one', measure: () => timeOf(() => prover.prove(proven)) },
        rounds,
        aim: { of: 'ratio', atMost: 1.25 },
      }),
    );
    return rows;
  } finally {
    chain.stop();
    // The threads of the bare proofs keep the process alive.
    await (await curves.getCurveFromName('bn128')).terminate();
    await Promise.all([origin[Symbol.asyncDispose](), notary.close(), prover.close(), evaluator.close()]);
  }
}

/** What snarkjs does alone, in this process, with key and witness in memory. */
async function bareProof(statement: ProofStatement): Promise<() => Promise<unknown>> {
  const read = async (path: string) => ({ type: 'mem', data: await readArtifact(path) }) as const;
  const paths = (await loadArtifacts(bundledArtifacts())).paths(sizeFor(statement.queries.length));
  const [key, program] = [await read(paths.provingKey), await read(paths.witnessProgram)];
  const witness = { type: 'mem' } as const;
  await wtns.calculate(witnessInput(statement, await statement.attestation()), program, witness);
  return () => groth16.prove(key, witness);
}

/** Milliseconds of the first proof of a prover that was warmed up. */
async function firstProof(statement: ProofStatement): Promise<number> {
  const prover = createGroth16Prover();
  await prover.warmUp?.();
  const duration = await timeOf(() => prover.prove(statement));
  await prover.close();
  return duration;
}
