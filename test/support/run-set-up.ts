import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { runCeremony } from '../../adapters/groth16-prover/setup/ceremony.ts';
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

/** A step of a ceremony as its command line runs it, without a process of its own: that takes most of the time of a refusal. */
export async function ceremonyStep(...args: string[]): Promise<SetUpOutcome> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await runCeremony(args, 'npm run zk:ceremony --');
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
