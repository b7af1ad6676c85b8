/** Proofs: proving against a plain request, verifying against the official verifier, and seals against snarkjs alone, on a real EVM. */
import { request } from 'node:https';
import { fileURLToPath } from 'node:url';
import { curves, groth16, wtns } from 'snarkjs';
import { bundledArtifacts, loadArtifacts, readArtifact } from '../../adapters/groth16-prover/artifacts.ts';
import { sizeFor } from '../../adapters/groth16-prover/circuit-sizes.ts';
import { createGroth16Prover } from '../../adapters/groth16-prover/index.ts';
import { witnessInput } from '../../adapters/groth16-prover/witness-input.ts';
import { createJmespathEvaluator } from '../../adapters/jmespath-worker/index.ts';
import { notaryKey } from '../../adapters/local-notary/index.ts';
import { systemRandom } from '../../core/ports/random-source.ts';
import type { ProofStatement, ZkProver } from '../../core/ports/zk-prover.ts';
import { createValuesExtensions } from '../../core/web-proof/attested-values/notary-extensions.ts';
import { createValuesSigner } from '../../core/web-proof/attested-values/values-signature.ts';
import { compressRequestSchema, createCompress } from '../../core/web-proof/journal/compress.ts';
import { encodePresentation } from '../../core/web-proof/tlsnotary/encode.ts';
import { HASH } from '../../core/web-proof/tlsnotary/hash-algorithms.ts';
import { FORMAT_VERSION } from '../../core/web-proof/tlsnotary/presentation.ts';
import type { VerifiedWebProof, WebProof } from '../../core/web-proof/verify.ts';
import { startLocalChain } from '../../hosts/demo/evm/local-chain.ts';
import { compileSolidity } from '../../hosts/demo/evm/solidity.ts';
import { assembleProof, makeHandshake, seededRandom } from '../support/proof-builder.ts';
import { setUpProving } from '../support/proving.ts';
import { issueOracleRoot } from '../support/replaced-root.ts';
import { verifyArguments } from '../support/seal-parts.ts';
import { type IssuedCertificate, issueIntermediate, issueLeaf } from '../support/test-ca.ts';
import { createAuthority, jsonAnswer, ORIGIN_NAME, startOrigin } from '../support/tls-origin.ts';
import { createOracle, type Oracle } from '../support/tlsn-oracle.ts';
import { alone, type Bench, type BenchRow, MILLISECONDS, sideBySide, timed, timedEach, type Unit } from './measure.ts';

const KIB = 1024;

/** A JSON document whose answer, head included, has about so many KiB; with 16 it has `values` of them. */
function documentOf(kib: number, values = 715): unknown {
  // The head takes the rest.
  const roomOf = (size: number) => size * KIB - 200;
  const entry = { id: 123_456, name: '', price: '3500.50', tags: ['one', 'two'] };
  const bytes = roomOf(16) / (values / 5);
  const name = 'An entry of the list, with a name of some length'.padEnd(bytes - JSON.stringify(entry).length - 1, '.');
  return { entries: Array.from({ length: Math.floor(roomOf(kib) / bytes) }, () => ({ ...entry, name })) };
}

interface AnswerSize {
  readonly name: string;
  readonly kib: number;
  readonly values?: number;
  /** How much longer than a bare request its proof may take, in milliseconds. */
  readonly proveAtMost?: number;
  /** Most of the official verifier's time. */
  readonly verifyAtMost: number;
}

const ANSWERS: readonly AnswerSize[] = [
  { name: '1 KB', kib: 1, verifyAtMost: 0.5 },
  { name: '16 KB, 80 values', kib: 16, values: 80, proveAtMost: 40, verifyAtMost: 0.5 },
  { name: '16 KB, 715 values', kib: 16, values: 715, proveAtMost: 150, verifyAtMost: 0.5 },
  { name: '90 KB', kib: 90, verifyAtMost: 0.5 },
];
/** What the largest published proof of another notary shows: 2,387 and 2,707 bytes in 48 leaves. */
const FOREIGN = { bytes: 2_500, leaves: 24 };

export const webProofBench: Bench = {
  title: 'Web proofs: prove against a bare HTTPS request, verify against tlsn-wasm',
  async run({ quick, progress }) {
    const root = issueOracleRoot();
    const authority = createAuthority(root);
    const oracle = createOracle(root);
    const key = notaryKey(new Uint8Array(32).fill(7));
    const attestationExtensions = createValuesExtensions(createValuesSigner(key.secretKey), systemRandom);
    const { notary, prove, verify } = setUpProving(authority, { key, attestationExtensions });
    const [rounds, calls, warmUp] = quick ? [1, 1, 1] : [9, 10, 50];
    const rows: BenchRow[] = [];
    const verifyRow = (name: string, proof: WebProof, atMost: number) =>
      againstOracle(name, { proof, verify, oracle, calls, rounds, atMost });
    try {
      await using origin = await startOrigin(authority);
      progress('warm up');
      for (let call = 0; call < warmUp; call += 1) await verify(await prove({ url: origin.url() }));
      for (const { name, kib, values, proveAtMost, verifyAtMost } of ANSWERS) {
        const answer = jsonAnswer(documentOf(kib, values));
        await using origin = await startOrigin(authority, { answer });
        // One byte more than the whole answer does no harm; 90 KiB is the most that may be asked for.
        const body = { url: origin.url('/v1/document'), maxRecvData: 90 * KIB };
        progress(`prove ${name}`);
        // A host that runs has made such proofs before. The engine takes a while to compile well what hashes their values.
        for (let call = 0; call < warmUp; call += 1) await prove(body);
        rows.push(
          await sideBySide({
            name: `prove, ${name}`,
            unit: MILLISECONDS,
            subject: () => timedEach(calls, () => prove(body)),
            reference: {
              name: 'bare https request',
              measure: () => timedEach(calls, () => fetchOnce(origin.port, authority.root.pem)),
            },
            rounds,
            ...(proveAtMost === undefined ? {} : { aim: { of: 'difference', atMost: proveAtMost } }),
          }),
        );
        const proof = await prove(body);
        progress(`verify ${name}`);
        rows.push(await verifyRow(`verify, ${name}`, proof, verifyAtMost));
      }
      progress('verify a proof of another notary');
      rows.push(await verifyRow('verify, another notary', await foreignProof(root), 1.5));
      return rows;
    } finally {
      await notary.close();
    }
  },
};

interface Verification {
  readonly proof: WebProof;
  readonly verify: (proof: WebProof) => Promise<VerifiedWebProof>;
  readonly oracle: Oracle;
  readonly calls: number;
  readonly rounds: number;
  readonly atMost: number;
}

async function againstOracle(name: string, { proof, verify, oracle, calls, rounds, atMost }: Verification) {
  const bytes = Buffer.from(proof.data, 'hex');
  const verdict = await oracle(bytes);
  if (!verdict.accepted) throw new Error(`The official verifier refuses the proof: ${verdict.reason}`);
  return await sideBySide({
    name,
    unit: MILLISECONDS,
    subject: () => timedEach(calls, () => verify(proof)),
    reference: { name: 'tlsn-wasm', measure: () => timedEach(calls, () => oracle(bytes)) },
    rounds,
    aim: { of: 'ratio', atMost },
  });
}

/** As notaries of the TLSNotary protocol make them: BLAKE3, and many commitments to encodings of bytes. */
async function foreignProof(root: IssuedCertificate): Promise<WebProof> {
  const intermediate = issueIntermediate(root);
  const leaf = issueLeaf(intermediate, [ORIGIN_NAME]);
  const { bytes: random } = seededRandom(1);
  const text = (start: string, end: string) =>
    new TextEncoder().encode(start + 'x'.repeat(FOREIGN.bytes - start.length - end.length) + end);
  const length = Math.ceil(FOREIGN.bytes / FOREIGN.leaves);
  const encodings = (['sent', 'received'] as const).flatMap((direction) =>
    Array.from({ length: FOREIGN.leaves }, (_, index) => {
      const start = index * length;
      return { direction, ranges: [{ start, end: Math.min(start + length, FOREIGN.bytes) }] };
    }),
  );
  const presentation = await assembleProof({
    serverName: ORIGIN_NAME,
    handshake: makeHandshake(leaf.privateKey, [leaf.der, intermediate.der], random),
    hashAlgorithm: HASH.blake3,
    sent: text(`GET / HTTP/1.1\r\nhost: ${ORIGIN_NAME}\r\nx-filler: `, '\r\n\r\n'),
    received: text('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n', ''),
    encodings,
    random,
  });
  const data = Buffer.from(encodePresentation(presentation)).toString('hex');
  return { data, version: FORMAT_VERSION, meta: { notaryUrl: 'https://notary.test' } };
}

/** On a connection of its own, as a proof is; TLS 1.2, as proofs are. */
function fetchOnce(port: number, ca: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        servername: ORIGIN_NAME,
        port,
        path: '/v1/document',
        ca,
        agent: false,
        maxVersion: 'TLSv1.2',
        headers: { host: `${ORIGIN_NAME}:${port}` },
      },
      (response) => {
        response.resume();
        response.once('end', resolve);
        response.once('error', reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end();
  });
}

const GAS: Unit = { name: 'gas', better: 'lower' };

const CONTRACT = fileURLToPath(new URL('../../contracts/WebProofVerifier.sol', import.meta.url));
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

export const zkBench: Bench = {
  title: 'Compressed web proofs: real Groth16 proofs, checked by a contract on a real EVM',
  run: ({ quick, progress }) => measure(quick ? 1 : 5, quick ? [1] : [1, 4, 8], progress),
};

/** Compresses proofs with so many values, and has a contract check them. */
async function measure(rounds: number, counts: readonly number[], progress: (what: string) => void) {
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
  const compress = createCompress({ verify, evaluator, prover: listening, notaries: [notary] });
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
      progress(`${count} of ${NAMES.length} values`);
      const proof = await compress(request(count));
      const args = verifyArguments(proof.zkProof, guestId, proof.journalDataAbi);
      const gas = Number(await chain.send(address, contract.abi, 'verify', args));
      rows.push(alone({ name: `verify, ${count} values`, unit: GAS, aim: { of: 'figure', atMost: 370_000 } }, [gas]));
    }
    if (statement === undefined) throw new Error('nothing was proven');
    const last = request(counts.at(-1) ?? 1);
    progress('beside a bare groth16.prove');
    const bare = await bareProof(statement);
    rows.push(
      await sideBySide({
        name: `compress, ${counts.at(-1)} values`,
        unit: MILLISECONDS,
        subject: () => timed(() => compress(last)),
        reference: { name: 'bare groth16.prove', measure: () => timed(bare) },
        rounds,
        aim: { of: 'ratio', atMost: 1.15 },
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
