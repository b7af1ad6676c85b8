/**
 * The process that proves. On its own so that the main thread stays free, so that its memory goes back to the system with it,
 * and so that snarkjs (GPL-3.0, an optional peer dependency) stays a separate program.
 */

import { readArtifact } from './artifacts.ts';
import { firstLine, loadSnarkjs } from './load-snarkjs.ts';
import { proveNatively, writeKey } from './native-prover.ts';
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

async function perform(task: ProvingTask): Promise<ProvingOutcome> {
  const { id, input, native } = task;
  const loaded = await loadSnarkjs();
  if ('failure' in loaded) return { id, ...loaded };
  const { snarkjs } = loaded;
  const [program, key] = await Promise.all([cachedFile(task.witnessProgram), cachedFile(task.provingKey)]);
  if (input === undefined) {
    // Compiles the arithmetic and starts the threads; snarkjs keeps both.
    await snarkjs.curves.getCurveFromName('bn128');
    if (native !== undefined) await writeKey(native.directory, key);
    return { id, loaded: true };
  }
  const witness: { type: 'mem'; data?: Uint8Array } = { type: 'mem' };
  try {
    await snarkjs.wtns.calculate(input, { type: 'mem', data: program }, witness);
  } catch (error) {
    return { id, failure: 'unprovable', message: firstLine(error) };
  }
  const { proof, publicSignals } =
    native === undefined || witness.data === undefined
      ? await snarkjs.groth16.prove({ type: 'mem', data: key }, witness)
      : await proveNatively(native, key, witness.data);
  const verifyingKey: unknown = JSON.parse(Buffer.from(await cachedFile(task.verifyingKey)).toString('utf8'));
  // A damaged proving key gives proofs that only the contract would refuse.
  if (!(await snarkjs.groth16.verify(verifyingKey, publicSignals, proof))) {
    return { id, failure: 'failed', message: 'the proof does not verify; proving and verifying key do not match' };
  }
  return { id, proof, publicSignals };
}

process.on('message', (task: ProvingTask) => {
  perform(task)
    .catch((error: unknown): ProvingOutcome => ({ id: task.id, failure: 'failed', message: firstLine(error) }))
    .then((outcome) => process.send?.(outcome));
});
// The threads of snarkjs, or a native prover, would outlive the parent.
process.once('disconnect', () => {
  try {
    process.kill(-process.pid, 'SIGKILL');
  } catch {
    // It leads no group, so it has started nothing that is not a thread.
    process.exit(0);
  }
});
