/**
 * The process that proves. It keeps the main thread free, and its memory goes back to the system when it ends. It also keeps
 * snarkjs (GPL-3.0) a separate program.
 */

import { type CircuitPaths, parseVerifyingKey, readArtifact } from './artifacts.ts';
import type { Groth16Proof } from './seal.ts';
import type { VerifyingKey } from './verifying-key.ts';
import type { Signals } from './witness-input.ts';
import { UnsatisfiedError, WitnessProgram } from './witness-program.ts';

/** What the parent says; one thing at a time. Big integers travel as decimal text. */
export type ProvingWork =
  | { readonly circuit: CircuitPaths; readonly input: Signals }
  /** Only loads what proofs with these circuits need. */
  | { readonly load: readonly CircuitPaths[] };

export interface ProvenStatement {
  readonly proof: Groth16Proof;
  readonly publicSignals: readonly string[];
}

/** What the process says to it. */
export type ProvingOutcome =
  | ProvenStatement
  | { readonly loaded: true }
  /** `unprovable`: the statement is false. */
  | { readonly failure: 'unprovable' | 'failed'; readonly message: string };

interface LoadedCircuit {
  readonly provingKey: Uint8Array;
  readonly witnessProgram: WitnessProgram;
  readonly verifyingKey: VerifyingKey;
}

const circuits = new Map<string, Promise<LoadedCircuit>>();

/** What proving with a circuit needs stays in memory from one proof to the next. */
function loadCircuit(paths: CircuitPaths): Promise<LoadedCircuit> {
  const known = circuits.get(paths.provingKey);
  if (known !== undefined) return known;
  const loading = readCircuit(paths);
  circuits.set(paths.provingKey, loading);
  // What could not be read now can perhaps be read for the next proof.
  loading.catch(() => circuits.delete(paths.provingKey));
  return loading;
}

async function readCircuit(paths: CircuitPaths): Promise<LoadedCircuit> {
  const [provingKey, witnessProgram, verifyingKey] = await Promise.all([
    readArtifact(paths.provingKey),
    readArtifact(paths.witnessProgram),
    readArtifact(paths.verifyingKey),
  ]);
  return {
    provingKey,
    witnessProgram: await WitnessProgram.load(witnessProgram),
    verifyingKey: parseVerifyingKey(verifyingKey),
  };
}

async function perform(work: ProvingWork): Promise<ProvingOutcome> {
  const snarkjs = await import('snarkjs');
  if ('load' in work) {
    // Compiles the arithmetic and starts the threads; snarkjs keeps both.
    await snarkjs.curves.getCurveFromName('bn128');
    for (const paths of work.load) await loadCircuit(paths);
    return { loaded: true };
  }
  const { provingKey, witnessProgram, verifyingKey } = await loadCircuit(work.circuit);
  let witness: Uint8Array;
  try {
    witness = await witnessProgram.calculate(work.input);
  } catch (error) {
    if (error instanceof UnsatisfiedError) return { failure: 'unprovable', message: firstLine(error) };
    throw error;
  }
  const { proof, publicSignals } = await snarkjs.groth16.prove(
    { type: 'mem', data: provingKey },
    { type: 'mem', data: witness },
  );
  // A damaged proving key gives proofs that only the contract would refuse.
  if (!(await snarkjs.groth16.verify(verifyingKey, publicSignals, proof))) {
    return { failure: 'failed', message: 'the proof does not verify; proving and verifying key do not match' };
  }
  return { proof, publicSignals };
}

const MAX_MESSAGE = 500;

/** The first line of an error's message, of bounded length. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE);
}

process.on('message', (work: ProvingWork) => {
  perform(work)
    .catch((error: unknown): ProvingOutcome => ({ failure: 'failed', message: firstLine(error) }))
    .then((outcome) => process.send?.(outcome));
});
// The threads of snarkjs would outlive the parent.
process.once('disconnect', () => process.exit(0));
