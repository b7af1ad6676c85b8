/**
 * The process that proves. It keeps the main thread free, and its memory goes back to the system when it ends. It also keeps
 * snarkjs (GPL-3.0) a separate program.
 */

import { type CircuitPaths, parseVerifyingKey, readArtifact } from './artifacts.ts';
import type { ProvingOutcome, ProvingTask } from './proving-messages.ts';
import type { VerifyingKey } from './verifying-key.ts';
import { UnsatisfiedError, WitnessProgram } from './witness-program.ts';

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

async function perform(task: ProvingTask): Promise<ProvingOutcome> {
  const { id } = task;
  const snarkjs = await import('snarkjs');
  if ('load' in task) {
    // Compiles the arithmetic and starts the threads; snarkjs keeps both.
    await snarkjs.curves.getCurveFromName('bn128');
    for (const paths of task.load) await loadCircuit(paths);
    return { id, loaded: true };
  }
  const { provingKey, witnessProgram, verifyingKey } = await loadCircuit(task.circuit);
  let witness: Uint8Array;
  try {
    witness = await witnessProgram.calculate(task.input);
  } catch (error) {
    if (error instanceof UnsatisfiedError) return { id, failure: 'unprovable', message: firstLine(error) };
    throw error;
  }
  const { proof, publicSignals } = await snarkjs.groth16.prove(
    { type: 'mem', data: provingKey },
    { type: 'mem', data: witness },
  );
  // A damaged proving key gives proofs that only the contract would refuse.
  if (!(await snarkjs.groth16.verify(verifyingKey, publicSignals, proof))) {
    return { id, failure: 'failed', message: 'the proof does not verify; proving and verifying key do not match' };
  }
  return { id, proof, publicSignals };
}

const MAX_MESSAGE = 500;

/** The first line of an error's message, of bounded length. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n', 1)[0] ?? '').slice(0, MAX_MESSAGE);
}

process.on('message', (task: ProvingTask) => {
  perform(task)
    .catch((error: unknown): ProvingOutcome => ({ id: task.id, failure: 'failed', message: firstLine(error) }))
    .then((outcome) => process.send?.(outcome));
});
// The threads of snarkjs would outlive the parent.
process.once('disconnect', () => process.exit(0));
