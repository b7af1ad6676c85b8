import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMPILE_CACHE } from './compile-cache.ts';

interface SetUpOutcome {
  /** The exit code. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a set-up of the prover by its command line. */
export function runSetUp(name: 'ceremony' | 'development-setup', ...args: string[]): Promise<SetUpOutcome> {
  const script = fileURLToPath(new URL(`../../adapters/groth16-prover/setup/${name}.ts`, import.meta.url));
  const env = { ...process.env, ...COMPILE_CACHE };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=credence-source', script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}
