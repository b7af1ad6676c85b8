/**
 * The process in which snarkjs proves. On its own so that the main thread stays free, so that its memory goes back to the
 * system with it, and so that snarkjs (GPL-3.0, an optional peer dependency) stays a separate program.
 */

import { readArtifact } from './artifacts.ts';
import { firstLine, loadSnarkjs } from './load-snarkjs.ts';
import type { ProvingOutcome, ProvingTask } from './proving-messages.ts';

const files = new Map<string, Promise<Uint8Array>>();

/** Proving key and witness program stay in memory from one proof to the next. */
function cachedFile(path: string): Promise<Uint8Array> {
  const known = files.get(path);
  if (known !== undefined) return known;
  const file = readArtifact(path);
  files.set(path, file);
  return file;
}

async function prove(task: ProvingTask): Promise<ProvingOutcome> {
  const { id } = task;
  const loaded = await loadSnarkjs();
  if ('failure' in loaded) return { id, ...loaded };
  const { snarkjs } = loaded;
  const witness: { type: 'mem'; data?: Uint8Array } = { type: 'mem' };
  const program = { type: 'mem', data: await cachedFile(task.witnessProgram) } as const;
  try {
    await snarkjs.wtns.calculate(task.input, program, witness);
  } catch (error) {
    return { id, failure: 'unprovable', message: firstLine(error) };
  }
  const provingKey = { type: 'mem', data: await cachedFile(task.provingKey) } as const;
  const { proof, publicSignals } = await snarkjs.groth16.prove(provingKey, witness);
  const verifyingKey: unknown = JSON.parse(Buffer.from(await cachedFile(task.verifyingKey)).toString('utf8'));
  // A damaged proving key gives proofs that only the contract would refuse.
  if (!(await snarkjs.groth16.verify(verifyingKey, publicSignals, proof))) {
    return { id, failure: 'failed', message: 'the proof does not verify; proving and verifying key do not match' };
  }
  return { id, proof, publicSignals };
}

process.on('message', (task: ProvingTask) => {
  prove(task)
    .catch((error: unknown): ProvingOutcome => ({ id: task.id, failure: 'failed', message: firstLine(error) }))
    .then((outcome) => process.send?.(outcome));
});
// The threads of snarkjs would keep the process alive after its parent is gone.
process.once('disconnect', () => process.exit(0));
